import { isDeepStrictEqual } from 'node:util';
import { changedYaml, type PolicyRule } from 'chancery/internal';
import { formatYaml, parseYamlDocuments } from 'chancery/low-level';

/** The file that `make manifests` generates from the markers of the controllers. */
export const ROLE_FILE = 'config/rbac/role.yaml';

/** The changed text of a role, and the rules that the role lacks. */
export interface RoleState {
  /**
   * The new text of the role. Undefined when the role already has every rule, or when it cannot be
   * changed here.
   */
  readonly text: string | undefined;
  /** Rules of markers that are missing in the role. */
  readonly missing: readonly PolicyRule[];
}

const MARKER = /^[\t ]*\/\/ ?\+kubebuilder:rbac:(.*)$/gm;

/**
 * Compares the role of a project with the markers in its Go files, from which controller-gen
 * generates the role. A new controller has new markers, and only `make manifests` adds the rules of
 * these markers to the role.
 *
 * Markers with a `namespace` are ignored here, because controller-gen writes their rules to
 * separate roles.
 */
export function roleState(files: ReadonlyMap<string, string>): RoleState {
  const text = files.get(ROLE_FILE);
  // A file that is not YAML is reported where the roles are read.
  const [role, ...others] = tried(() => parseYamlDocuments(text ?? '')) ?? [];
  const before = rulesOf(role);
  if (text === undefined || before === undefined) return { text: undefined, missing: [] };
  const missing = markedRules(files).filter((rule) => !isCovered(rule, before));
  const isOurs = missing.length > 0 && others.length === 0;
  return { text: isOurs ? withRules(text, before, missing) : undefined, missing };
}

function rulesOf(role: unknown): readonly PolicyRule[] | undefined {
  const { kind, rules = [] } = (role ?? {}) as {
    readonly kind?: unknown;
    readonly rules?: readonly PolicyRule[] | null;
  };
  return kind === 'ClusterRole' && Array.isArray(rules) ? rules : undefined;
}

/** The rules of all markers, without duplicates, in the order of the files. */
function markedRules(files: ReadonlyMap<string, string>): readonly PolicyRule[] {
  const sources = [...files].filter(([path]) => path.endsWith('.go')).sort(byPath);
  const rules = new Map<string, PolicyRule>();
  for (const [, text] of sources) {
    for (const [, fields = ''] of text.matchAll(MARKER)) {
      const rule = ruleOf(fields.trim());
      if (rule !== undefined) rules.set(JSON.stringify(rule), rule);
    }
  }
  return [...rules.values()];
}

function byPath([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : 1;
}

/** The rule of a marker. A field is `name=a;b`, and a value with a comma is in quotes. */
function ruleOf(text: string): PolicyRule | undefined {
  const fields = new Map<string, readonly string[]>();
  for (const [, name = '', value = ''] of text.matchAll(/(\w+)=("[^"]*"|[^,]*)/g)) {
    const parts = value.replaceAll('"', '').split(';');
    fields.set(
      name,
      parts.map((part) => part.trim()),
    );
  }
  const verbs = fields.get('verbs');
  const urls = fields.get('urls');
  const resources = fields.get('resources');
  if (verbs === undefined || fields.has('namespace')) return undefined;
  if (urls !== undefined) return { nonResourceURLs: urls, verbs: verbs.toSorted() };
  if (resources === undefined) return undefined;
  const names = fields.get('resourceNames');
  return {
    apiGroups: (fields.get('groups') ?? ['']).map((group) => (group === 'core' ? '' : group)),
    resources,
    ...(names !== undefined && { resourceNames: names }),
    verbs: verbs.toSorted(),
  };
}

/** True when the rules in `by` grant everything that `rule` grants. */
function isCovered(rule: PolicyRule, by: readonly PolicyRule[]): boolean {
  const { apiGroups = [], resources = [], resourceNames, nonResourceURLs = [], verbs } = rule;
  const has = (values: readonly string[] | undefined, value: string): boolean =>
    values?.includes(value) === true || values?.includes('*') === true;
  const isNamed = (each: PolicyRule): boolean =>
    each.resourceNames === undefined ||
    each.resourceNames.length === 0 ||
    (resourceNames ?? ['']).every((name) => each.resourceNames?.includes(name));
  return verbs.every(
    (verb) =>
      nonResourceURLs.every((url) =>
        by.some((each) => has(each.nonResourceURLs, url) && has(each.verbs, verb)),
      ) &&
      apiGroups.every((group) =>
        resources.every((resource) =>
          by.some(
            (each) =>
              has(each.apiGroups, group) &&
              has(each.resources, resource) &&
              has(each.verbs, verb) &&
              isNamed(each),
          ),
        ),
      ),
  );
}

/**
 * The role with additional rules. controller-gen writes the rules at the end of the file, so the
 * text before them is unchanged.
 */
function withRules(
  text: string,
  before: readonly PolicyRule[],
  missing: readonly PolicyRule[],
): string {
  const rules = [...before, ...missing];
  const appended = `${text.trimEnd()}\n${formatYaml(missing).replaceAll(/^( *) {2}- /gm, '$1- ')}`;
  const [role] = tried(() => parseYamlDocuments(appended)) ?? [];
  return isDeepStrictEqual(rulesOf(role), rules) ? appended : changedYaml(text, ['rules'], rules);
}

function tried<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
