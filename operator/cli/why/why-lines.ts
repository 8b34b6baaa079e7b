import type { WokenBy } from '../../controller/run/wakes/wake-causes.ts';
import { durationWords } from '../../core/text/duration-words.ts';
import type { KeyAnswer, KeyStatus, LastAttempt } from '../../manager/status-page/key-answer.ts';

/** The known facts about a key, as lines for a terminal. */
export function whyLines({ known }: KeyAnswer): readonly string[] {
  return known.flatMap((status, at) => [...(at > 0 ? [''] : []), ...statusLines(status)]);
}

function statusLines(status: KeyStatus): readonly string[] {
  const { key, controller, verdict, summary, next, running, last, waits } = status;
  const rows: (readonly [string, string | undefined])[] = [
    ['object', OBJECT_WORDS[status.object]],
    ['state', stateWords(status)],
    ...waits.map(({ by, forMs, why }) => {
      const until = forMs === undefined ? '' : ` for ${durationWords(forMs)}`;
      return ['waits', `${by}${until}: ${why}`] as const;
    }),
    ['next', next && `at ${clockTime(next.at)}, in ${durationWords(next.inMs)}`],
    ['woken by', wokenWords(status.wokenBy ?? running?.wokenBy)],
    ['last', last && lastWords(last)],
    ['woken by', status.wokenBy || running ? undefined : wokenWords(last?.wokenBy)],
    ['failing', failingWords(status)],
    ['log', logWords(running?.reconcileId, last)],
  ];
  const shown = rows.filter(([, text]) => text !== undefined);
  return [
    `${key} in ${controller}: ${verdict}: ${summary}`,
    ...shown.map(([name, text]) => `  ${name.padEnd(8)}  ${text}`),
  ];
}

const OBJECT_WORDS: Readonly<Record<KeyStatus['object'], string>> = {
  cached: 'is in the cache',
  absent: 'is not in the cache: it is gone, or not selected',
  unknown: 'not known: the cache has no first list',
};

function stateWords({ state, priority, running }: KeyStatus): string {
  const at = priority === undefined ? '' : ` at priority ${priority}`;
  if (running) return `working for ${durationWords(running.forMs)}${at}`;
  return `${state}${at}`;
}

function wokenWords(woken: WokenBy | undefined): string | undefined {
  if (woken === undefined) return undefined;
  const causes = woken.causes.map(({ cause, via, times }) => {
    const how = via === undefined ? '' : ` via ${via}`;
    return `${cause}${how}${times > 1 ? `, ${times} times` : ''}`;
  });
  if (woken.more > 0) causes.push(`${woken.more} more`);
  return causes.join('; ') || undefined;
}

function lastWords({ at, outcome, durationMs, error }: LastAttempt): string {
  const took = `at ${clockTime(at)} after ${durationWords(durationMs)}`;
  return `${outcome} ${took}${error === undefined ? '' : `: ${error}`}`;
}

function failingWords({ failures, failingSince }: KeyStatus): string | undefined {
  if (failingSince === undefined) return undefined;
  const times = failures > 1 ? `, ${failures} failures in a row` : '';
  return `since ${clockTime(failingSince)}${times}`;
}

/** A hint that refers to the log, because only the log contains the messages of errors. */
function logWords(running: string | undefined, last: LastAttempt | undefined): string | undefined {
  const id = running ?? (last?.error === undefined ? undefined : last.reconcileId);
  return id === undefined ? undefined : `the lines with reconcileId ${id} say more`;
}

/** An RFC 3339 time without fractions of a second. */
function clockTime(iso: string): string {
  return iso.replace(/\.\d+Z$/, 'Z');
}
