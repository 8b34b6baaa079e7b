import { ConfigurationError } from '../../core/errors.ts';
import { isDns1035Label, isDnsSubdomain, MAX_DNS_LABEL } from '../../model/dns-name.ts';
import { pluralOf } from '../../model/plural.ts';

/** The names of a new kind on the command line. */
export interface KindOptions {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** If undefined, the plural is derived from the kind. */
  readonly plural: string | undefined;
}

/** A new kind, and the names that its files use for it. */
export interface KindNames {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  /**
   * True when `customResource` would derive a different plural from the kind than the given one, so
   * that the plural must be given.
   */
  readonly hasOwnPlural: boolean;
  /**
   * The kind with dashes, `http-route`: the name of its controller and the prefix of its file
   * names.
   */
  readonly dashed: string;
  /** The constant for the resource: `httpRoutes`. */
  readonly resource: string;
  /** The imported name of the controller: `httpRouteController`. */
  readonly controller: string;
}

/**
 * Group suffixes of the Kubernetes project. The API server requires the project's approval for a
 * definition in such a group.
 */
export const PROTECTED_GROUPS: RegExp = /(?:^|\.)(?:k8s|kubernetes)\.io$/;

/**
 * Names that must not be used for the constants of a new kind. The generated files already declare
 * or import these names, some of them for the resources of children.
 */
const TAKEN: ReadonlySet<string> = new Set(
  [
    'AGE_COLUMN READY Type child childName children composite controller customResource kstatus',
    'assert crdYaml defineResource definition env errors eventually namespace operator startOperator',
    'startTestEnv test untilReady',
    'conditions event isNews live message object observedGeneration ready wrong',
    'configMaps cronJobs daemonSets deployments jobs secrets serviceAccounts services statefulSets',
  ].flatMap((line) => line.split(' ')),
);

/**
 * The reserved words of ECMAScript, including those of strict mode, and names that a module in
 * strict mode cannot declare: https://tc39.es/ecma262/#prod-ReservedWord.
 */
const RESERVED: ReadonlySet<string> = new Set(
  [
    'arguments await break case catch class const continue debugger default delete do else enum eval',
    'export extends false finally for function if implements import in instanceof interface let new',
    'null package private protected public return static super switch this throw true try typeof',
    'undefined var void while with yield',
  ].flatMap((line) => line.split(' ')),
);

/**
 * The names of a new kind.
 *
 * @throws ConfigurationError `CONFIG` with the rule that a name breaks.
 */
export function kindNames({ group, version, kind, plural: given }: KindOptions): KindNames {
  requireGroup(group);
  requireVersion(version);
  requireKind(kind);
  const plural = given ?? pluralOf(kind.toLowerCase());
  requirePlural(plural, given === undefined);
  return namesOf({ group, version, kind, plural });
}

/**
 * The names that files use for a kind. The caller must have checked the kind and the plural: in
 * lower case, both must be DNS labels.
 */
export function namesOf({
  group,
  version,
  kind,
  plural,
}: KindOptions & { readonly plural: string }): KindNames {
  const derived = pluralOf(kind.toLowerCase());
  const words = wordsOf(kind);
  const last = words.length - 1;
  const pluralWords =
    plural === derived
      ? words.map((word, at) => (at === last ? pluralOf(word) : word))
      : plural.split('-').filter((word) => word !== '');
  const controller = controllerConstant(words.join('-'));
  return {
    group,
    version,
    kind,
    plural,
    hasOwnPlural: plural !== derived,
    // The name of a controller must be a DNS label.
    dashed: words.join('-').slice(0, MAX_DNS_LABEL).replace(/-$/, ''),
    resource: freeIdentifier(camelCase(pluralWords), controller),
    controller,
  };
}

/** The imported name of a kind's controller. */
export function controllerConstant(dashed: string): string {
  return `${camelCase(dashed.split('-'))}Controller`;
}

/** The kind for a name with dashes: `HttpRoute` for `http-route`. */
export function kindFrom(name: string): string {
  return name.split('-').map(capitalized).join('');
}

function requireGroup(group: string): void {
  if (group === '') {
    throw new ConfigurationError(
      '--group is empty: the group without a name belongs to Kubernetes; write a domain of yours, such as ' +
        'example.com',
    );
  }
  if (!isDnsSubdomain(group) || !group.includes('.')) {
    throw new ConfigurationError(
      `--group must be a domain in lower case with a dot, such as example.com, not ${JSON.stringify(group)}`,
    );
  }
  if (PROTECTED_GROUPS.test(group)) {
    throw new ConfigurationError(
      `--group ${group} belongs to the Kubernetes project; write a domain of yours, such as example.com`,
    );
  }
}

function requireVersion(version: string): void {
  if (/^v[1-9][0-9]*(?:(?:alpha|beta)[1-9][0-9]*)?$/.test(version)) return;
  throw new ConfigurationError(
    `--version must be a version of an API, such as v1, v1beta1 or v2alpha1, not ${JSON.stringify(version)}`,
  );
}

function requireKind(kind: string): void {
  if (/^[A-Z][A-Za-z0-9]*$/.test(kind) && kind.length <= MAX_DNS_LABEL) return;
  const better = kindFrom(kind.replaceAll(/[^A-Za-z0-9]+/g, '-').replace(/^[-0-9]+/, ''));
  const hint = better === '' || better === kind ? '' : `; did you mean ${better}?`;
  throw new ConfigurationError(
    `--kind must be one word in CamelCase of at most ${MAX_DNS_LABEL} letters and digits, such as ` +
      `HttpRoute, not ${JSON.stringify(kind)}${hint}`,
  );
}

function requirePlural(plural: string, isDerived: boolean): void {
  if (isDns1035Label(plural)) return;
  const rule = `at most ${MAX_DNS_LABEL} of a-z, 0-9 and "-", with a letter first`;
  throw new ConfigurationError(
    isDerived
      ? `the plural of the kind would be ${plural}, which is too long: give one with --plural, ${rule}`
      : `--plural must be ${rule}, not ${JSON.stringify(plural)}`,
  );
}

/** The words in the name of a kind: `my`, `http`, `server` for `MyHTTPServer`. */
function wordsOf(kind: string): readonly string[] {
  const dashed = kind
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1-$2');
  return dashed
    .toLowerCase()
    .split('-')
    .filter((word) => word !== '');
}

function camelCase(words: readonly string[]): string {
  return words.map((word, at) => (at === 0 ? word : capitalized(word))).join('');
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function freeIdentifier(name: string, controller: string): string {
  const isTaken = RESERVED.has(name) || TAKEN.has(name) || name === controller;
  return isTaken ? `${name}Resource` : name;
}

/** The options of a command line that set the names of a kind. */
export function kindOptions({
  group,
  version,
  kind,
  plural,
  hasOwnPlural,
}: KindNames): readonly string[] {
  const own = hasOwnPlural ? ['--plural', plural] : [];
  return ['--group', group, '--version', version, '--kind', kind, ...own];
}
