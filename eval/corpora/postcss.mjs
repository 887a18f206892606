// Reads the names of files, a line each, and writes for each that postcss refuses an object with the reason.
// Run it where postcss is installed.
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';

const postcss = createRequire(path.join(process.cwd(), 'index.js'))('postcss');
for (const name of fs.readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
  try {
    postcss.parse(fs.readFileSync(name, 'utf8'));
  } catch (e) {
    console.log(JSON.stringify({ name, reason: e.reason ?? e.message }));
  }
}
