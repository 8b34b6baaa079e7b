import { ConfigurationError } from '../../core/errors.ts';
import { visibleJson, visibleText } from '../../core/text/visible-text.ts';
import type { KeyAnswer } from '../../manager/status-page/key-answer.ts';
import type { ExitCode, Io } from '../command.ts';
import type { GivenTo } from '../command-table.ts';
import { askOperator, hasLists, operatorUrl } from '../status/ask-operator.ts';
import type { WHY } from './table.ts';
import { whyLines } from './why-lines.ts';

/**
 * `chancery why`: prints the facts that the controllers of a running operator know about one key.
 */
export async function why({ values, words }: GivenTo<typeof WHY>, io: Io): Promise<ExitCode> {
  const key = keyOf(words);
  const url = operatorUrl(values.url, io);
  const query = new URLSearchParams({ key });
  if (values.controller !== undefined) query.set('controller', values.controller);
  const asked = await askOperator(url, `why.json?${query}`, isKeyAnswer, io.signal);
  if ('problem' in asked) {
    io.stderr.write(`chancery why: ${asked.problem}\n`);
    return 1;
  }
  const { answer } = asked;
  if (values.json) io.stdout.write(`${visibleJson(JSON.stringify(answer))}\n`);
  else for (const line of whyLines(answer)) io.stdout.write(`${visibleText(line)}\n`);
  if (answer.known.length > 0) return 0;
  const controllers = answer.asked.join(', ') || 'there is none';
  const notes = answer.notes.map((note) => `  ${note}\n`).join('');
  io.stderr.write(
    visibleText(`chancery why: no controller knows ${key}; asked: ${controllers}\n${notes}`),
  );
  return 4;
}

/**
 * The key on the command line.
 *
 * @throws ConfigurationError `CONFIG` for anything other than one key.
 */
function keyOf(words: readonly string[]): string {
  const [key = '', ...others] = words;
  if (others.length === 0 && /^[^\s/]+(\/[^\s/]+)?$/.test(key)) return key;
  throw new ConfigurationError(
    `KEY must be NAMESPACE/NAME, or NAME for an object without a namespace, not ${JSON.stringify(words.join(' '))}`,
  );
}

function isKeyAnswer(body: unknown): body is KeyAnswer {
  return hasLists(body, 'known', 'asked', 'notes');
}
