import { ConfigurationError } from 'chancery';
import type { ProjectConfig } from './project.ts';
import type { RecordedKind } from './record.ts';

type Names = Pick<RecordedKind, 'group' | 'kind' | 'plural'>;
type Asked = Pick<RecordedKind, 'group' | 'version' | 'kind'>;

/**
 * Refuses a kind whose name or plural exists in the group. In a cluster, two definitions with the
 * same kind or plural overwrite each other.
 *
 * @throws ConfigurationError `CONFIG` when Go or TypeScript already has the kind or the plural.
 */
export function requireFreeName(
  asked: Asked,
  plural: string,
  kinds: readonly RecordedKind[],
  { resources }: ProjectConfig,
): void {
  const { group, version, kind } = asked;
  const isTaken = (each: Names): boolean =>
    each.group === group && (each.kind === kind || each.plural === plural);
  const inGo = resources.find(isTaken);
  if (inGo !== undefined) {
    const { controllers } = inGo;
    const by = controllers.length === 0 ? '' : `, with the controller ${controllers.join(' and ')}`;
    throw new ConfigurationError(
      inGo.kind === kind
        ? `${kind} of ${group} is a kind in Go already${by}: choose another kind for TypeScript, because two definitions of ` +
            'one kind overwrite each other'
        : takenPlural(plural, inGo),
    );
  }
  const other = kinds.find((each) => isTaken(each) && !isSameKind(each, asked));
  if (other !== undefined) throw new ConfigurationError(takenPlural(plural, other));
  const same = kinds.find((each) => isSameKind(each, asked));
  if (same === undefined || (same.version === version && same.plural === plural)) return;
  throw new ConfigurationError(
    `${kind} of ${group} exists already, with version ${same.version} and plural ${same.plural}, in ${same.file}: change ` +
      'the version and the plural there',
  );
}

function takenPlural(plural: string, { group, kind }: Names): string {
  return (
    `${plural}.${group} is the name of the definition of ${kind} already: choose another plural with --plural-name, or ` +
    'another kind'
  );
}

export function isSameKind(a: Names, { group, kind }: Asked): boolean {
  return a.group === group && a.kind === kind;
}
