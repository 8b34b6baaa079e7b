import type { Writable } from 'node:stream';
import { type Clock, sleep, systemClock } from '../../core/clock.ts';
import { ConfigurationError } from '../../core/errors.ts';
import { visibleJson, visibleText } from '../../core/text/visible-text.ts';
import type { ProcessStatus } from '../../manager/status-page/process-status.ts';
import type { ExitCode, Io } from '../command.ts';
import type { GivenTo } from '../command-table.ts';
import { LineWriter } from '../line-writer.ts';
import { type Asked, askOperator, hasLists, operatorUrl } from './ask-operator.ts';
import { statusLines } from './status-lines.ts';
import type { STATUS } from './table.ts';

/** Interval of `--watch`. */
const AGAIN_MS = 1_000;

/** Control sequence that moves to the top of a terminal and clears it. */
const CLEAR = '\u001b[H\u001b[2J';

/** `chancery status`: prints the status of a running operator. */
export async function status(
  { values, words: [word] }: GivenTo<typeof STATUS>,
  io: Io,
  clock: Clock = systemClock,
): Promise<ExitCode> {
  if (word !== undefined) {
    throw new ConfigurationError(`status takes no arguments, got ${JSON.stringify(word)}`);
  }
  const url = operatorUrl(values.url, io);
  using output = new LineWriter(io.stdout, io.signal);
  const { signal } = output;
  const print = ({ answer }: { readonly answer: ProcessStatus }): Promise<void> =>
    output.write(
      values.json
        ? [visibleJson(JSON.stringify(answer))]
        : statusLines(answer).map((line) => visibleText(line)),
    );
  try {
    const first = await askOperator(url, 'status.json', isStatus, signal);
    if ('problem' in first) return failed(io, first);
    await print(first);
    if (values.watch) await printAgain({ url, io, clock, signal, print, isJson: values.json });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return output.failure === undefined ? 0 : 1;
}

interface Watching {
  readonly url: URL;
  readonly io: Io;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly print: (asked: { readonly answer: ProcessStatus }) => Promise<void>;
  readonly isJson: boolean;
}

/**
 * Prints the status again and again, until the signal aborts. It continues even when the operator
 * does not answer.
 */
async function printAgain({ url, io, clock, signal, print, isJson }: Watching): Promise<void> {
  const isScreen = !isJson && (io.stdout as Writable & { readonly isTTY?: boolean }).isTTY === true;
  let reported: string | undefined;
  for (;;) {
    await sleep(clock, AGAIN_MS, signal);
    const asked = await askOperator(url, 'status.json', isStatus, signal);
    if ('problem' in asked) {
      if (asked.problem !== reported) failed(io, asked);
      reported = asked.problem;
      continue;
    }
    reported = undefined;
    if (isScreen) io.stdout.write(CLEAR);
    else if (!isJson) io.stdout.write('\n');
    await print(asked);
  }
}

function failed(
  { stderr }: Io,
  { problem }: Extract<Asked<unknown>, { problem: string }>,
): ExitCode {
  stderr.write(`chancery status: ${problem}\n`);
  return 1;
}

function isStatus(body: unknown): body is ProcessStatus {
  return hasLists(body, 'controllers', 'sources', 'runnables', 'recent', 'writesPerMinute');
}
