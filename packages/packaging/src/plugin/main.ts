import type { Buffer } from 'node:buffer';
import process from 'node:process';
import { quickAnswer } from '../kubebuilder/self-description.ts';
import { ownStdout } from './own-stdout.ts';

/**
 * The process of `chancery plugin kubebuilder`. kubebuilder starts one process per request, and
 * sends three requests per command. So this entry is separate from the other commands and loads
 * only what a request needs. Two of the three requests need only constant tables.
 */
const stdout = ownStdout(process.stdout); // until the end of the process: exit handlers may print, too
process.stdout.on('error', () => {}); // kubebuilder has ended, so nobody would read a report
process.stderr.on('error', () => {});

const stdin = process.stdin[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
/** A short request arrives as one piece, followed by the end of stdin. */
const start = [stdin.next(), stdin.next()] as const;
const quick = await shortRequest().then(quickAnswer, () => undefined);
if (quick === undefined) {
  const { respondToKubebuilder } = await import('./kubebuilder.ts');
  const { stderr, env } = process;
  await stdout.write(await respondToKubebuilder({ stdin: wholeStdin(), stderr, env }));
} else {
  await stdout.write(quick);
}
process.exit(0); // the rest of a refused request is not read

async function shortRequest(): Promise<string> {
  const [first, second] = await Promise.all(start);
  return first.done !== true && second.done === true ? first.value.toString() : '';
}

async function* wholeStdin(): AsyncGenerator<Buffer> {
  for (const piece of start) {
    const { done, value } = await piece;
    if (done === true) return;
    yield value;
  }
  yield* { [Symbol.asyncIterator]: () => stdin };
}
