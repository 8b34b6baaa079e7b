/**
 * Two limits: the least that a cache can be. Lines are kept by the name that stands where it always does,
 * as text, or in mode `object` parsed; nothing is checked, compared or told to anybody, and what is not
 * as expected is not noticed.
 */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { configuration, handled, imported, read, synced } from './child.ts';

imported();
const { pathOf } = await import('../../test/support/load/profile.ts');
const { profileNamed } = await import('../../test/support/load/profiles.ts');

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const BEFORE_NAME = Buffer.from('"name":"');
const wholeObjects = configuration.mode === 'object';
const collection = `${configuration.url}${pathOf(profileNamed(configuration.profile))}`;
const kept = new Map<string, unknown>();
let begun: Buffer = Buffer.alloc(0);

const pieces: Buffer[] = [];
for await (const piece of await open(collection)) pieces.push(piece as Buffer);
const list = JSON.parse(Buffer.concat(pieces).toString()) as Listed;
for (const item of list.items) {
  kept.set(item.metadata.name, wholeObjects ? item : JSON.stringify(item));
}
const { resourceVersion } = list.metadata;
const watch = await open(`${collection}?watch=1&resourceVersion=${resourceVersion}`);
watch.on('data', (chunk: Buffer) => keepLines(Buffer.concat([begun, chunk])));
synced(configuration.objects);

interface Listed {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
}

function keepLines(bytes: Buffer): void {
  let from = 0;
  for (let to = bytes.indexOf(NEWLINE); to >= 0; to = bytes.indexOf(NEWLINE, from)) {
    const name = bytes.indexOf(BEFORE_NAME, from) + BEFORE_NAME.length;
    keep(
      bytes.toString('latin1', name, bytes.indexOf(QUOTE, name)),
      bytes.toString('utf8', from, to),
    );
    from = to + 1;
  }
  begun = bytes.subarray(from);
}

function keep(name: string, line: string): void {
  if (wholeObjects) {
    const { object } = JSON.parse(line) as { readonly object: object };
    read(object);
    kept.set(name, object);
  } else {
    kept.set(name, line);
  }
  handled(name);
}

async function open(url: string): Promise<IncomingMessage> {
  const [response] = (await once(get(url, { agent: false }), 'response')) as [IncomingMessage];
  return response;
}
