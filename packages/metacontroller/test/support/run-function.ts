/** A hook as a program: `node run-function.ts LIBRARY FUNCTION` reads a request and writes the answer. */
import { text } from 'node:stream/consumers';

const [, , library = '', name = ''] = process.argv;
const functions = (await import(library)) as Readonly<
  Record<string, (request: unknown) => unknown>
>;
const decide = functions[name];
if (decide === undefined) throw new Error(`${library} exports no ${name}`);
const request: unknown = JSON.parse(await text(process.stdin));
process.stdout.write(JSON.stringify(await decide(request)));
