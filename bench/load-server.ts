/**
 * The load server as a process: `node load-server.ts PROFILE OBJECTS [whole|streamed] [PORT] [LIST_MS]`.
 * It prints the port that it listens on. Then it runs commands, one JSON object a line, and prints an
 * answer when a command is done:
 *
 *     {"do":"prepare","events":…,"keys":…,"marker":…}      {"is":"prepared","bytes":…}
 *     {"do":"prepare-deletions","marker":…}                {"is":"prepared","bytes":…}
 *     {"do":"send"}                                        {"is":"sent","startedNs":…}
 *     {"do":"trickle","rate":…,"seconds":…,"marker":…}     {"is":"trickled"}
 *     {"do":"chunks","bytes":…,"chunkBytes":…,"marker":…}  {"is":"sent","startedNs":…}
 *     {"do":"endless","maxBytes":…,"marker":…}             {"is":"sent","startedNs":…}
 *     {"do":"cut","marker":…}                              {"is":"cut","startedNs":…}
 *     {"do":"watching","watches":…}                        {"is":"watching","atNs":…} with so many
 *     {"do":"count"}                                       {"is":"counted"}: from now on
 *     {"do":"counts"}                                      {"is":"counts",…}: see `Counts`
 *     {"do":"restart","downMs":…,"changed":…,"removed":…,"marker":…}
 *                                                          {"is":"restarted","atNs":…}
 *     {"do":"digest"}                                      {"is":"digest","digest":…}
 */
import { createInterface } from 'node:readline';
import { profileNamed } from '../test/support/load/profiles.ts';
import { LoadServer } from '../test/support/load/server.ts';
import { numberIn } from './message.ts';

const [profile = '', objects = '', form, port = '0', listMs = '0'] = process.argv.slice(2);
const streamed = form === 'streamed';
const server = new LoadServer({
  profile: profileNamed(profile),
  objects: Number(objects),
  streamed,
  listMs: Number(listMs),
});
say({ is: 'listening', port: await server.listen(Number(port)) });

for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line) as Readonly<Record<string, unknown>>;
  if (!(await tend(command))) await obey(command);
}
await server.close();

/** Commands about the server itself, which need no watch. @returns false for any other command. */
async function tend(command: Readonly<Record<string, unknown>>): Promise<boolean> {
  const number = (field: string): number => numberIn(command, field);
  if (command.do === 'watching') {
    await server.watched(number('watches'));
    say({ is: 'watching', atNs: String(process.hrtime.bigint()) });
  } else if (command.do === 'count') {
    server.resetCounts();
    say({ is: 'counted' });
  } else if (command.do === 'counts') {
    say({ is: 'counts', ...server.counts });
  } else if (command.do === 'restart') {
    const [downMs, changed, removed] = [number('downMs'), number('changed'), number('removed')];
    await server.restart({ downMs, changed, removed, marker: String(command.marker) });
    say({ is: 'restarted', atNs: String(process.hrtime.bigint()) });
  } else if (command.do === 'digest') {
    say({ is: 'digest', digest: server.digest });
  } else {
    return false;
  }
  return true;
}

async function obey(command: Readonly<Record<string, unknown>>): Promise<void> {
  const number = (field: string): number => numberIn(command, field);
  const marker = String(command.marker);
  // Wait for a watch: a watch that opens later would show the changes only in its list.
  await server.watched();
  if (command.do === 'prepare') {
    const bytes = server.prepare({ events: number('events'), keys: number('keys'), marker });
    say({ is: 'prepared', bytes });
  } else if (command.do === 'prepare-deletions') {
    say({ is: 'prepared', bytes: server.prepareDeletions(marker) });
  } else if (command.do === 'endless') {
    await server.watched(2); // one receives the line, the other must not be disturbed
    await timed('sent', () => server.sendEndlessLine(number('maxBytes'), marker));
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
