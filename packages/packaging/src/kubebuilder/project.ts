import { ConfigurationError } from 'chancery';
import { pluralOf } from 'chancery/internal';

/** The fields of PROJECT that the plugin uses. */
export interface ProjectConfig {
  /** The domain. '' when the project has none, because it contains only TypeScript. */
  readonly domain: string;
  readonly projectName: string | undefined;
  readonly isMultigroup: boolean;
  /** The plugins of the project. */
  readonly layout: readonly string[];
  readonly resources: readonly ProjectResource[];
}

/** A kind that kubebuilder's own plugins have created. */
export interface ProjectResource {
  /** The group with the domain: `shop.example.com`. '' for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** The plural name in the name of the kind's definition. */
  readonly plural: string;
  /** The names of the kind's controllers in Go, as their file names contain them: `cart`, `cart_backup`. */
  readonly controllers: readonly string[];
}

/**
 * Reads the content of PROJECT. In older versions of kubebuilder, the first `init` sends no
 * content.
 *
 * @throws ConfigurationError `CONFIG` when the version is not 3, or when a field has another type.
 */
export function projectConfig(config: Readonly<Record<string, unknown>> = {}): ProjectConfig {
  const { version, domain, projectName, multigroup, layout, resources } = config;
  if ((version ?? '3') !== '3') {
    const got = typeof version === 'string' ? version.slice(0, 100) : typeof version;
    throw new ConfigurationError(
      `PROJECT has version ${JSON.stringify(got)}, and this plugin knows version "3" only: migrate the project first`,
    );
  }
  return {
    domain: textOf('domain', domain ?? ''),
    projectName: isAbsent(projectName) ? undefined : textOf('projectName', projectName),
    isMultigroup: multigroup === true,
    layout: layoutOf(layout),
    resources: listOf('resources', resources).map(resourceOf),
  };
}

/** The complete API group: the group in PROJECT, followed by the domain. */
export function qualifiedGroup(group: string, domain: string): string {
  return [group, domain].filter((part) => part !== '').join('.');
}

/**
 * True for a plugin that writes Go. The plugin chain of a command contains the members of a plugin
 * bundle, such as `base.go.kubebuilder.io/v4`. `layout` contains the bundle itself:
 * `go.kubebuilder.io/v4`.
 */
export function isGoPlugin(key: string): boolean {
  return /(?:^|\.)go\.kubebuilder\.io(?:\/|$)/.test(key);
}

/** The plugins in `layout`. Older projects have a string with commas instead of a list. */
function layoutOf(layout: unknown): readonly string[] {
  if (typeof layout === 'string') return layout.split(',').map((key) => key.trim());
  return listOf('layout', layout).map((key) => textOf('layout', key));
}

function resourceOf(value: unknown): ProjectResource {
  const { group, domain, version, kind, plural, core, controller, controllers } = mappingOf(value);
  const name = textOf('kind', kind);
  const isBuiltIn = core === true;
  return {
    group: builtInGroup(
      qualifiedGroup(textOf('group', group ?? ''), textOf('domain', domain ?? '')),
      isBuiltIn,
    ),
    version: textOf('version', version),
    kind: name,
    plural: isAbsent(plural) ? pluralOf(name.toLowerCase()) : textOf('plural', plural),
    controllers: isAbsent(controllers)
      ? controller === true
        ? [name.toLowerCase()]
        : []
      : listOf('controllers', controllers).map((each) =>
          textOf('controllers', mappingOf(each).name).replaceAll('-', '_'),
        ),
  };
}

/** The group of a built-in kind. PROJECT writes `core` for the group without a name. */
function builtInGroup(group: string, isBuiltIn: boolean): string {
  return isBuiltIn && group === 'core' ? '' : group;
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

function listOf(name: string, value: unknown): readonly unknown[] {
  if (isAbsent(value)) return [];
  if (Array.isArray(value)) return value;
  throw new ConfigurationError(`${name} of PROJECT must be a list`);
}

function textOf(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw new ConfigurationError(`${name} of PROJECT must be a string, not ${typeof value}`);
}

function mappingOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Readonly<Record<string, unknown>>;
  }
  throw new ConfigurationError('resources of PROJECT must be a list of mappings');
}
