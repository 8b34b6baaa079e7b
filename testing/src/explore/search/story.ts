import type { Violation } from '../invariants/violation.ts';
import type { Step } from '../simulation/run-result.ts';

/** Matches the labels of steps that are left out of the description of a run if they had no effect. */
const QUIET = /^(?:request|answer|delivery|timer)\b/;

/**
 * Describes a run for people: changes by other writers, deviations from the usual order, and the operator's
 * actions.
 */
export function storyOf(steps: readonly Step[], violation: Violation): string {
  const lines = withoutRepetition(steps.flatMap(linesOf));
  const all = [...lines, `${violation.invariant}: ${violation.message}`];
  return all.map((line, index) => `${index + 1}. ${line}`).join('\n');
}

/** Lists a repeated reconcile without effect only once, with its number of repetitions. */
function withoutRepetition(lines: readonly string[]): readonly string[] {
  const result: string[] = [];
  let times = 0;
  const addTimes = (): void => {
    if (times > 0)
      result.push(times === 1 ? 'So it does once more.' : `So it does ${times} more times.`);
    times = 0;
  };
  for (let at = 0; at < lines.length; at++) {
    const [one = '', two = ''] = lines.slice(at, at + 2);
    const isSame = result.at(-2) === one && result.at(-1) === two;
    if (isSame && / begins to reconcile /.test(one)) {
      times++;
      at++;
      continue;
    }
    addTimes();
    result.push(one);
  }
  addTimes();
  return result;
}

function linesOf({ what, deviation, notes }: Step): readonly string[] {
  const departs = deviation === undefined ? [] : [departure(deviation.act, deviation.target, what)];
  if (deviation !== undefined || !QUIET.test(what)) {
    const own = deviation === undefined ? [sentence(what)] : departs;
    return [...own, ...notes.map(sentence)];
  }
  return notes.map(sentence);
}

function departure(act: string, target: string, what: string): string {
  if (act === 'first') return `The ${target} comes before what came up earlier.`;
  if (act === 'hold')
    return `All that is to come of "${target}" is held back until nothing else can happen.`;
  if (act === 'delay') return `All that is to come of "${target}" is held back for ten seconds.`;
  if (act === 'late') {
    const what = target === '' ? 'The next change' : `All that is to come of "${target}"`;
    return `${what} comes late: a timer of the operator is due before it.`;
  }
  if (act === 'lose')
    return `The ${target} is lost: the connection breaks after the server has acted.`;
  if (act === 'timer') return 'A timer is due before that.';
  if (act === 'restart') return 'The operator is killed and starts again.';
  return sentence(what);
}

function sentence(text: string): string {
  const plain = text.replace(/^change: /, '');
  const whole = `${plain.slice(0, 1).toUpperCase()}${plain.slice(1)}`;
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}
