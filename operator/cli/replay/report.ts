import { counted } from '../../core/text/counted.ts';
import type { FlightRecord } from '../../flight/read-record.ts';
import { differenceText, shownAt } from '../../flight/replay/difference.ts';
import type { Replay } from '../../flight/replay/replay-options.ts';
import type { FoundUse } from '../../flight/world/own-uses.ts';
import type { ModuleChanges } from './module-changes.ts';

/** Facts that are known before the replay begins, one line each. */
export function recordLines(
  { header, cutOff, unknownLines }: FlightRecord,
  { changed, missing, isOther }: ModuleChanges,
): readonly string[] {
  const seconds = ((header.to - header.from) / 1_000).toFixed(1);
  const why = header.why === undefined ? '' : `: ${header.why}`;
  const lines = [`${seconds} s of ${header.began}, written for "${header.reason}"${why}`];
  if (cutOff !== undefined)
    lines.push(`warning: the record was cut off (${cutOff}); it is replayed as far as it goes`);
  if (unknownLines > 0) lines.push(`warning: ${unknownLines} lines of unknown kinds are skipped`);
  if (isOther) {
    lines.push(
      'warning: none of the files is as it was recorded: this is another operator, or all of it has changed',
    );
  } else if (changed.length > 0)
    lines.push(`warning: changed since the record: ${changed.join(', ')}`);
  if (!isOther && missing.length > 0) {
    lines.push(`warning: recorded, and not loaded now: ${missing.join(', ')}`);
  }
  return lines;
}

/** The result, one line per fact. */
export function replayLines(
  { differences, differing, attempts, writes, endedAt, wallAt, ownUses, notes }: Replay,
  continues: boolean,
): readonly string[] {
  const replayed = `${counted(attempts, 'attempt')} and ${counted(writes, 'write')}, to ${shownAt(endedAt)}`;
  const [first, ...others] = differences;
  const more = [...ownUses.map(ownUseLine), ...notes.map((note) => `note: ${note}`)];
  if (first === undefined) return [`the same as recorded: ${replayed}`, ...more];
  const heading = continues ? 'the replay leaves the record' : 'the first difference is';
  return [
    `${heading} ${differenceText(first, wallAt(first.at)).join('\n')}`,
    ...others.map((other) => `also ${differenceText(other, wallAt(other.at)).join('\n')}`),
    ...(differing > differences.length ? [`and ${differing - differences.length} more keys`] : []),
    `replayed: ${replayed}`,
    ...more,
  ];
}

const OWN_USES: Readonly<Record<FoundUse['what'], (name: string) => string>> = {
  clock: (name) =>
    `note: the clock is read past the context (${name}); the replay gives it the recorded time`,
  randomness: (name) =>
    `warning: randomness of its own (${name}): a record does not have the numbers, so that the replay draws others`,
  network: (name) =>
    `error: the network is used past the client (${name}): a record does not have the answers, so that it fails here`,
};

function ownUseLine({ what, name, where }: FoundUse): string {
  return `${where}: ${OWN_USES[what](name)}`;
}
