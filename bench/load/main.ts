/**
 * The load server as a process: `node main.ts PROFILE OBJECTS [streamed]`. It says on which port it
 * listens, and then does what it is told, one JSON object a line, and says when it has:
 *
 *     {"do":"prepare","events":…,"keys":…,"marker":…}      {"is":"prepared","bytes":…}
 *     {"do":"send"}                                        {"is":"sent","startedNs":…}
 *     {"do":"trickle","rate":…,"seconds":…,"marker":…}     {"is":"trickled"}
 *     {"do":"chunks","bytes":…,"chunkBytes":…,"marker":…}  {"is":"sent","startedNs":…}
 *     {"do":"cut","marker":…}                              {"is":"cut","startedNs":…}
 */
import { createInterface } from 'node:readline';
import { numberIn } from '../message.ts';
import { profileNamed } from './profiles.ts';
import { LoadServer } from './server.ts';

const [profile = '', objects = '', form] = process.argv.slice(2);
const streamed = form === 'streamed';
const server = new LoadServer({
  profile: profileNamed(profile),
  objects: Number(objects),
  streamed,
});
say({ is: 'listening', port: await server.listen() });

for await (const line of createInterface({ input: process.stdin })) {
  await obey(JSON.parse(line) as Readonly<Record<string, unknown>>);
}
await server.close();

async function obey(command: Readonly<Record<string, unknown>>): Promise<void> {
  const number = (field: string): number => numberIn(command, field);
  const marker = String(command.marker);
  // Without a watch there is nobody to tell: who opens one later would only find it in a list.
  await server.watched();
  if (command.do === 'prepare') {
    const bytes = server.prepare({ events: number('events'), keys: number('keys'), marker });
    say({ is: 'prepared', bytes });
  } else if (command.do === 'send') {
    await timed('sent', () => server.send());
  } else if (command.do === 'trickle') {
    await server.trickle(number('rate'), number('seconds'), marker);
    say({ is: 'trickled' });
  } else if (command.do === 'chunks') {
    await timed('sent', () => server.sendInChunks(number('bytes'), number('chunkBytes'), marker));
  } else if (command.do === 'cut') {
    server.expire(marker, { streamed });
    await timed('cut', async () => server.cut());
  } else {
    throw new Error(`the load server does not know ${JSON.stringify(command)}`);
  }
}

async function timed(is: string, work: () => Promise<void>): Promise<void> {
  const startedNs = String(process.hrtime.bigint());
  await work();
  say({ is, startedNs });
}

function say(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}
