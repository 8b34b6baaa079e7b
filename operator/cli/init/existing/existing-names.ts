import { ConfigurationError } from '../../../core/errors.ts';
import { boundedText } from '../../../core/text/visible-text.ts';
import { isDns1035Label, isDnsSubdomain } from '../../../model/dns-name.ts';
import { controllerConstant, type KindNames, namesOf } from '../../create/names.ts';

const LABEL = 'at most 63 letters, digits and "-", with a letter first';

/** Maximum number of characters of a name in a message. */
const NAME_CHARS = 600;

/**
 * The names of an existing kind. They must meet the rules of the API server, which allow more than
 * the rules for a new kind.
 *
 * @throws ConfigurationError `CONFIG` with the rule that a name breaks.
 */
export function existingNames(
  group: unknown,
  version: unknown,
  kind: unknown,
  plural: unknown,
): KindNames {
  const given = { group: text(group), version: text(version), kind: text(kind) };
  if (!isDnsSubdomain(given.group) || !given.group.includes('.')) {
    throw broken('group', 'a domain in lower case with a dot', group);
  }
  if (!isDns1035Label(given.version)) throw broken('version', `in lower case, ${LABEL}`, version);
  requireKind('kind', kind);
  if (!isDns1035Label(text(plural))) throw broken('plural', `in lower case, ${LABEL}`, plural);
  return namesOf({ ...given, plural: text(plural) });
}

/**
 * Checks the name of a kind.
 *
 * @throws ConfigurationError `CONFIG` for a name that the API server does not accept.
 */
export function requireKind(what: 'kind' | 'listKind', kind: unknown): void {
  if (!isDns1035Label(text(kind).toLowerCase())) throw broken(what, LABEL, kind);
}

/** A kind with the prefix of its file names. No two kinds have the same prefix. */
export type FileOf<T> = T & { readonly file: string };

/** Maximum number of alternative names that are tried for a kind whose name is taken. */
const MAX_TRIES = 10_000;

/**
 * Gives each kind a unique name. If a name is taken, the first segment of the group is appended to
 * it. If that name is taken as well, the whole group is appended, and then a number. The name is
 * used for the controller, for its files and for its sample.
 */
export function withFiles<T extends { readonly names: KindNames }>(
  kinds: readonly T[],
): readonly FileOf<T>[] {
  const files = new Set<string>();
  const constants = new Set<string>();
  return kinds.map((kind) => {
    for (const dashed of candidates(kind.names)) {
      // `src/operator.ts` is reserved for the module.
      const file = dashed === 'operator' ? 'operator-controller' : dashed;
      const controller = controllerConstant(dashed);
      const wanted = [file, `${file}-definition`];
      if (wanted.some((name) => files.has(name)) || constants.has(controller)) continue;
      for (const name of wanted) files.add(name);
      constants.add(controller);
      return { ...kind, names: { ...kind.names, dashed, controller }, file };
    }
    throw new ConfigurationError(`more than ${MAX_TRIES} kinds have the name ${kind.names.dashed}`);
  });
}

function* candidates({ dashed, group }: KindNames): Generator<string> {
  const words = group.split('.');
  yield dashed;
  yield joined(dashed, words[0] ?? '');
  yield joined(dashed, words.join('-'));
  for (let at = 2; at < MAX_TRIES; at += 1) yield joined(dashed, String(at));
}

/**
 * Joins two names to a DNS label. The first name is cut if the result would be too long for a
 * label.
 */
function joined(name: string, more: string): string {
  const end = more.slice(0, 40).replace(/-+$/, '');
  return `${name.slice(0, 62 - end.length).replace(/-+$/, '')}-${end}`;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function broken(what: string, rule: string, given: unknown): ConfigurationError {
  const shown = boundedText(JSON.stringify(given) ?? 'nothing', NAME_CHARS);
  return new ConfigurationError(`its ${what} must be ${rule}, not ${shown}`);
}
