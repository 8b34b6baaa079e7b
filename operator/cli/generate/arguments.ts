import { OWN_AMBASSADOR_IMAGE } from '../../access/filter/ambassador-image.ts';
import { POD_NAMESPACE } from '../../access/placement.ts';
import { nearMatches } from '../../client/near-match.ts';
import { ConfigurationError } from '../../core/errors.ts';
import { isDnsLabel } from '../../model/dns-name.ts';
import {
  DECLARING_FLAGS,
  type Declaring,
  declaringOf,
  declaringWords,
} from '../declarations/declaring.ts';
import { namespaceFlag, parseFlags } from '../flags.ts';
import { splitAtDashes } from '../load-modules.ts';
import { PACKAGE_FLAGS, type PackageArguments, packageArgumentsOf } from './package-arguments.ts';

/** The outputs that can be generated. */
const OUTPUTS = ['rbac', 'crd', 'proxy', 'manifests', 'chart', 'bundle'] as const;
export type Output = (typeof OUTPUTS)[number];

const FORMATS = ['args', 'patch', 'paths'] as const;

/** The command line of `chancery generate`. */
export interface GenerateArguments {
  readonly what: Output;
  readonly declaring: Declaring;
  readonly name: string | undefined;
  readonly namespace: string | undefined;
  /** Where the operator runs, as in the filter and the roles: a name, or `POD_NAMESPACE`. */
  readonly ownNamespace: string;
  /** As in `Placement`. */
  readonly namespaces: readonly string[] | undefined;
  /** `namespaces` come from the command line, or from the settings of a module. */
  readonly isWatchGiven: boolean;
  /** Undefined: elect a leader when a controller needs one. */
  readonly leaderElection: boolean | undefined;
  /** Undefined: the default name. */
  readonly leaseName?: string;
  readonly installCrds: boolean;
  readonly format: (typeof FORMATS)[number];
  readonly ambassadorImage: string;
  readonly operatorImage: string | undefined;
  /** One for each module, or empty. */
  readonly modulePaths: readonly string[];
  readonly stopSeconds: number;
  readonly components: string | undefined;
  readonly resources: readonly string[];
  /** Named in the generated files. */
  readonly command: string;
  /** Undefined for standard output. */
  readonly output: string | undefined;
  readonly check: boolean;
  /** Definitions of a package that no module brings. */
  readonly definitions: readonly string[];
  readonly package: PackageArguments;
}

const OPTIONS = {
  ...DECLARING_FLAGS,
  ...PACKAGE_FLAGS,
  'ambassador-image': { type: 'string' },
  check: { type: 'boolean' },
  command: { type: 'string' },
  components: { type: 'string' },
  format: { type: 'string' },
  'install-crds': { type: 'boolean' },
  'leader-election': { type: 'boolean' },
  'module-path': { type: 'string', multiple: true },
  name: { type: 'string' },
  namespace: { type: 'string' },
  'no-leader-election': { type: 'boolean' },
  'operator-image': { type: 'string' },
  output: { type: 'string', short: 'o' },
  resource: { type: 'string', multiple: true },
  'stop-seconds': { type: 'string' },
  watch: { type: 'string' },
} as const;

/** Outputs with a Deployment. */
const WHOLE: readonly Output[] = ['manifests', 'chart', 'bundle'];
const RIGHTS: readonly Output[] = ['rbac', 'proxy', ...WHOLE];
const PACKAGES: readonly Output[] = ['chart', 'bundle'];

/** Options that only some outputs accept. */
const ONLY_FOR: Readonly<Partial<Record<keyof typeof OPTIONS, readonly Output[]>>> = {
  'allow-key-in-operator': ['bundle'],
  'ambassador-image': WHOLE,
  channels: ['bundle'],
  components: ['manifests'],
  crd: RIGHTS,
  'created-at': ['bundle'],
  'default-channel': ['bundle'],
  format: ['proxy'],
  functions: RIGHTS,
  hooks: RIGHTS,
  'install-crds': RIGHTS,
  'install-modes': ['bundle'],
  'leader-election': RIGHTS,
  metadata: PACKAGES,
  'module-path': WHOLE,
  name: RIGHTS,
  namespace: RIGHTS,
  'no-leader-election': RIGHTS,
  'operator-image': WHOLE,
  pin: PACKAGES,
  replaces: ['bundle'],
  resource: WHOLE,
  sample: ['bundle'],
  'skip-range': ['bundle'],
  skips: ['bundle'],
  'stop-seconds': WHOLE,
  version: PACKAGES,
  watch: ['rbac', 'proxy'],
};

/** Whether a folder of files is generated, and not one text. */
export function isTree(what: Output): what is 'manifests' | 'chart' | 'bundle' {
  return WHOLE.includes(what);
}

/** @throws ConfigurationError `CONFIG` in one line that says what was expected and what was given. */
export function parseGenerateArguments(args: readonly string[]): GenerateArguments {
  const { own, rest: moduleArgs } = splitAtDashes(args);
  const { values, positionals } = parseFlags(own, OPTIONS);
  const [word, ...modules] = positionals;
  const what = outputOf(word);
  refuseOthers(what, Object.keys(values) as (keyof typeof OPTIONS)[]);
  const isOfModules = values.hooks === undefined && values['from-metacontroller'] === undefined;
  // A package contains definitions that its modules do not bring. They declare nothing.
  const definitions = isOfModules && PACKAGES.includes(what) ? (values.crd ?? []) : [];
  const crd = definitions.length > 0 ? undefined : values.crd;
  const declaring = declaringOf({ ...values, crd }, modules, moduleArgs);
  const { output, check = false, 'module-path': modulePaths = [] } = values;
  if (output === '') throw new ConfigurationError('--output must name a file or a folder');
  if (check && output === undefined) {
    throw new ConfigurationError('--check compares with what -o names, and it is not given');
  }
  if (isTree(what) && output === undefined) {
    const is = what === 'manifests' ? 'manifests are' : `a ${what} is`;
    throw new ConfigurationError(`${is} a folder of files: name it with -o`);
  }
  if (modulePaths.length > 0 && modulePaths.length !== modules.length) {
    const count = `${modules.length} modules, ${modulePaths.length} paths`;
    throw new ConfigurationError(`--module-path is given once for each MODULE; got ${count}`);
  }
  const placed = what === 'proxy' ? namespaceFlag(values.namespace) : undefined;
  const ownNamespace = placed ?? POD_NAMESPACE;
  return {
    what,
    declaring,
    name: values.name,
    namespace: values.namespace,
    namespaces: watchedNamespaces(values.watch ?? watchedBy(declaring), ownNamespace),
    isWatchGiven: values.watch !== undefined,
    ownNamespace,
    leaderElection: electionOf(values['leader-election'], values['no-leader-election']),
    installCrds: values['install-crds'] === true,
    format: formatOf(values.format),
    ambassadorImage: values['ambassador-image'] ?? OWN_AMBASSADOR_IMAGE,
    operatorImage: values['operator-image'],
    modulePaths,
    stopSeconds: secondsOf(values['stop-seconds']),
    components: values.components,
    resources: values.resource ?? [],
    command: commandOf(values.command, what, declaringWords(declaring), moduleArgs),
    output,
    check,
    definitions,
    package: packageArgumentsOf(values),
  };
}

/** Hooks and controllers watch all namespaces unless they are told otherwise, as their contracts say. */
function watchedBy({ from }: Declaring): 'all' | undefined {
  return from === 'modules' ? undefined : 'all';
}

function outputOf(word: string | undefined): Output {
  const found = OUTPUTS.find((output) => output === word);
  if (found !== undefined) return found;
  const known = 'rbac, crd, proxy, manifests, chart, bundle or catalog';
  if (word === undefined) throw new ConfigurationError(`expected ${known}; got nothing`);
  const near = nearMatches(word, [...OUTPUTS, 'catalog']);
  const hint = near.length > 0 ? `did you mean ${near.join(' or ')}?` : `expected ${known}`;
  throw new ConfigurationError(`cannot generate ${JSON.stringify(word)}; ${hint}`);
}

/** What chooses the namespaces of a tree. */
const HOW_WATCHED: Readonly<Partial<Record<Output, string>>> = {
  manifests: '; its overlays choose the namespaces',
  chart: '; its value watch.namespaces chooses them',
  bundle: '; the OperatorGroup chooses them',
};

function refuseOthers(what: Output, given: readonly (keyof typeof OPTIONS)[]): void {
  const other = given.find((option) => ONLY_FOR[option]?.includes(what) === false);
  if (other === undefined) return;
  const whose = ONLY_FOR[other]?.join(', ');
  const hint = other === 'watch' && isTree(what) ? HOW_WATCHED[what] : '';
  throw new ConfigurationError(`--${other} is for ${whose}, not for ${what}${hint}`);
}

/**
 * The namespaces of `--watch`, as in `Placement`.
 *
 * @param own - where the operator runs.
 * @throws ConfigurationError `CONFIG` for anything but `own`, `all` or names of namespaces.
 */
export function watchedNamespaces(
  text: string | undefined,
  own: string,
): readonly string[] | undefined {
  if (text === undefined || text === 'own') return [own];
  if (text === 'all' || text === '*') return undefined;
  const names = text.split(',').map((name) => name.trim());
  if (names.every((name) => isDnsLabel(name))) {
    return [...new Set(names)].sort();
  }
  throw new ConfigurationError(
    `--watch must be own, all, or namespaces as a,b, not ${JSON.stringify(text)}`,
  );
}

/** @throws ConfigurationError `CONFIG` when both options are given. */
export function electionOf(on: boolean | undefined, off: boolean | undefined): boolean | undefined {
  if (on === true && off === true) {
    throw new ConfigurationError('expected --leader-election or --no-leader-election; got both');
  }
  if (off === true) return false;
  return on;
}

function formatOf(text: string = 'args'): GenerateArguments['format'] {
  const found = FORMATS.find((format) => format === text);
  if (found !== undefined) return found;
  throw new ConfigurationError(
    `--format must be args, patch or paths, not ${JSON.stringify(text)}`,
  );
}

function secondsOf(text: string = '25'): number {
  if (/^[0-9]{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= 3_600) return Number(text);
  throw new ConfigurationError(
    `--stop-seconds must be a whole number from 1 to 3600, not ${JSON.stringify(text)}`,
  );
}

/** What no comment of a file may contain: a line break, or the closing backtick. */
const LINE = /^[\x20-\x5f\x61-\x7e]+$/;
/** The comments of charts are in templates and in Markdown: these would end them, or be read as a template. */
const ENDS_COMMENT = /\{\{|\}\}|\*\/|-->/;

function commandOf(
  text: string | undefined,
  what: Output,
  modules: readonly string[],
  moduleArgs: readonly string[],
): string {
  const isLine = (line: string): boolean =>
    LINE.test(line) && !(what === 'chart' && ENDS_COMMENT.test(line));
  if (text !== undefined && !isLine(text)) {
    throw new ConfigurationError(
      '--command must be one line of ASCII without backticks, and for a chart without {{, }}, */ and -->',
    );
  }
  const end = moduleArgs.length === 0 ? [] : ['--', ...moduleArgs.map(shellWord)];
  const own = ['chancery generate', what, ...modules, ...end].join(' ');
  return text ?? (isLine(own) ? own : `chancery generate ${what}`);
}

/** A word as a shell takes it. */
function shellWord(word: string): string {
  return /^[A-Za-z0-9_./:=,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
