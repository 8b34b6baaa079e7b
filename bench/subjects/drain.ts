/**
 * A limit: bytes that are read and thrown away. How fast this is says how fast the load server is:
 * what is as fast as this is limited by the server, not by itself.
 */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { configuration, imported, onExpectation, seen, synced } from './child.ts';

imported();
const { pathOf } = await import('../../test/support/load/profile.ts');
const { profileNamed } = await import('../../test/support/load/profiles.ts');

const collection = `${configuration.url}${pathOf(profileNamed(configuration.profile))}`;
const head: Buffer[] = [];
const list = await open(collection);
list.on('data', (chunk: Buffer) => {
  if (head.length === 0) head.push(chunk);
});
await once(list, 'end');
const [, version = '0'] = /"resourceVersion":"([0-9]+)"/.exec(String(head[0])) ?? [];

let missing = Number.POSITIVE_INFINITY;
onExpectation(({ bytes }) => {
  missing = bytes;
});
const watch = await open(`${collection}?watch=1&resourceVersion=${version}`);
watch.on('data', (chunk: Buffer) => {
  missing -= chunk.length;
  if (missing === 0) seen();
});
synced(configuration.objects);

async function open(url: string): Promise<IncomingMessage> {
  const [response] = (await once(get(url, { agent: false }), 'response')) as [IncomingMessage];
  return response;
}
