import { ConfigurationError } from '../core/errors.ts';

/** A group and version that a typed name may mean; what is undefined is not restricted. */
export interface GroupVersionFilter {
  readonly group?: string;
  readonly version?: string;
}

/** A resource as a person typed it, taken apart. */
export interface TypedName {
  /** Plural, singular, short name or kind, in lower case. */
  readonly name: string;
  /** Any of them may be meant: `foos.v1.example.com` names a version, or a group of that name. */
  readonly filters: readonly GroupVersionFilter[];
}

const VERSION = /^v[0-9]+((alpha|beta)[0-9]+)?$/;

/**
 * Takes `cm`, `deployments.apps`, `deployments.v1.apps`, `pods.v1.` or `deployments.apps/v1` apart.
 *
 * @throws ConfigurationError `CONFIG` when the text is none of these.
 */
export function parseTypedName(text: string): TypedName {
  const match = /^([A-Za-z][A-Za-z0-9-]*)(\.[A-Za-z0-9.-]*)?(?:\/([a-z0-9]+))?$/.exec(text);
  const [, name, dotted, version] = match ?? [];
  if (name === undefined || (version !== undefined && !VERSION.test(version))) {
    throw new ConfigurationError(
      `invalid resource ${JSON.stringify(text)}: expected a name such as deployments, ` +
        'deployments.apps, deployments.v1.apps or deployments.apps/v1',
    );
  }
  return { name: name.toLowerCase(), filters: filtersOf(dotted?.slice(1), version) };
}

function filtersOf(
  qualifier: string | undefined,
  version: string | undefined,
): readonly GroupVersionFilter[] {
  if (version !== undefined) {
    return [{ version, ...(qualifier === undefined ? {} : { group: qualifier }) }];
  }
  if (qualifier === undefined) return [{}];
  const dot = qualifier.indexOf('.');
  const first = dot < 0 ? qualifier : qualifier.slice(0, dot);
  const group = dot < 0 ? '' : qualifier.slice(dot + 1);
  return VERSION.test(first)
    ? [{ version: first, group }, { group: qualifier }]
    : [{ group: qualifier }];
}
