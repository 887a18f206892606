// Loads the files with counters in place of the originals, for versions of Node without
// module.registerHooks. Scripts are replaced in run.cjs.

import fs from 'node:fs'

let copies = {}

export function initialize(data) {
  copies = data
}

export async function load(url, context, next) {
  const loaded = await next(url, context)
  return copies[url] && loaded.format === 'module' ? {...loaded, source: fs.readFileSync(copies[url], 'utf8')} : loaded
}
