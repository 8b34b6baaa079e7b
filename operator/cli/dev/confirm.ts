import { createInterface } from 'node:readline/promises';
import { ConfigurationError } from '../../core/errors.ts';
import type { Io } from '../command.ts';

/**
 * Asks on the terminal for the name of a context, before anything is written to its cluster.
 *
 * @param facts - what is about to happen, for people.
 * @throws ConfigurationError `CONFIG` without a terminal, and for any other answer.
 */
export async function confirmContext(context: string, facts: string, io: Io): Promise<void> {
  const isTerminal = (stream: object): boolean => (stream as { isTTY?: boolean }).isTTY === true;
  if (!isTerminal(io.stdin) || !isTerminal(io.stderr)) {
    throw new ConfigurationError(
      `nothing was written to context ${context}: there is no terminal to ask on; add --yes to write ` +
        'to it without being asked',
    );
  }
  const lines = createInterface({ input: io.stdin, output: io.stderr });
  const closed = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)));
  try {
    const question = `${facts}\nType the name of the context to go on: `;
    const answer = await Promise.race([
      lines.question(question, { signal: io.signal }).catch(() => undefined),
      closed,
    ]);
    if (answer?.trim() === context) return;
  } finally {
    lines.close();
  }
  throw new ConfigurationError(
    `nothing was written to context ${context}: its name was not confirmed`,
  );
}
