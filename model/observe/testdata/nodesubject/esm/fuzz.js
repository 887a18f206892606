import {parse} from './lib.js'

export async function fuzz(data) {
  await parse(data.toString())
}
