/**
 * Imports an entry of `@chancery/testing`, starts a server, and lists: what a test file pays before its first line.
 * Started by `apiserver.ts`; says how long each took, and waits to be ended.
 */
import { once } from 'node:events';
import process from 'node:process';

export interface FirstList {
  readonly importMs: number;
  readonly startMs: number;
  readonly listMs: number;
}

const [, , entry = ''] = process.argv;
const beforeMs = performance.now();
const { ApiServer } = (await import(entry)) as typeof import('@chancery/testing');
const importedMs = performance.now();
const server = await ApiServer.start();
const startedMs = performance.now();
const path = `${server.url}/api/v1/namespaces/default/configmaps`;
const [response] = await once(process.getBuiltinModule('node:http').get(path), 'response');
response.resume();
await once(response, 'end');

process.send?.({
  importMs: importedMs - beforeMs,
  startMs: startedMs - importedMs,
  listMs: performance.now() - startedMs,
} satisfies FirstList);
process.on('message', () => {}); // it stays until it is ended
