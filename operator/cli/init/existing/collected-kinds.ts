import { ConfigurationError, messageOf } from '../../../core/errors.ts';
import { boundedText } from '../../../core/text/visible-text.ts';
import { byAge } from '../../../model/version-age.ts';
import type { ExistingKind } from './existing-kind.ts';

/** The kinds for which a project gets controllers, and messages for its author. */
export interface ExistingKinds {
  readonly kinds: readonly [ExistingKind, ...ExistingKind[]];
  /** Kinds that were skipped, each with the reason. */
  readonly skipped: readonly string[];
  readonly notes: readonly string[];
}

/** Maximum number of characters of a reason. */
const REASON_CHARS = 1_200;

/**
 * The kinds that the functions in `reads` return. If one kind cannot be read, the others are still
 * returned.
 *
 * @param reads - functions that return a kind, or the reason to skip it.
 * @param from - the source of the kinds, for messages.
 * @throws ConfigurationError `CONFIG` with all reasons when there is no kind.
 */
export function collectedKinds(
  reads: readonly (() => ExistingKind | string)[],
  from: string,
): ExistingKinds {
  const kinds: ExistingKind[] = [];
  const messages: Messages = { skipped: [], notes: [] };
  for (const read of reads) {
    try {
      const kind = read();
      if (typeof kind === 'string') messages.skipped.push(kind);
      else add(kinds, kind, messages);
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      messages.skipped.push(messageOf(error));
    }
  }
  const skipped = messages.skipped.map((each) => boundedText(each, REASON_CHARS));
  const [first, ...others] = kinds;
  if (first !== undefined) {
    const notes = kinds.flatMap(({ definition }) => definition?.notes ?? []);
    return { kinds: [first, ...others], skipped, notes: [...messages.notes, ...notes] };
  }
  const why = skipped.length === 0 ? '' : `: ${boundedText(skipped.join('; '))}`;
  throw new ConfigurationError(`${from} has no kind for a new project${why}`);
}

interface Messages {
  readonly skipped: string[];
  readonly notes: string[];
}

/**
 * Adds a kind, or another version of a kind that was added before. PROJECT has one entry for each
 * version of a kind, and all of these entries have the same definition.
 */
function add(kinds: ExistingKind[], kind: ExistingKind, { skipped, notes }: Messages): void {
  const { names } = kind;
  const at = kinds.findIndex(
    (each) => each.names.group === names.group && each.names.plural === names.plural,
  );
  const before = kinds[at];
  if (before === undefined) {
    kinds.push(kind);
    return;
  }
  const what = `${names.kind} of ${names.group}`;
  if (before.names.kind !== names.kind) {
    skipped.push(`${what}: ${before.names.kind} has the plural ${names.plural}, too`);
  } else if (kind.definition === undefined && before.definition === undefined) {
    const isNewer = byAge(names.version, before.names.version) > 0;
    const [taken, other] = isNewer ? [kind, before] : [before, kind];
    kinds[at] = taken;
    notes.push(
      `${what} is taken in the version ${taken.names.version}, not ${other.names.version}`,
    );
  } else if (kind.definition?.text !== undefined && !isSame(kind, before)) {
    skipped.push(`${what}: it is defined twice; the first definition is used`);
  }
}

/** True for two entries of PROJECT with the same definition. */
function isSame(one: ExistingKind, other: ExistingKind): boolean {
  return JSON.stringify(one.definition?.text) === JSON.stringify(other.definition?.text);
}
