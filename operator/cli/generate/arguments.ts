import { OWN_AMBASSADOR_IMAGE } from '../../access/filter/ambassador-image.ts';
import { POD_NAMESPACE } from '../../access/placement.ts';
import { ConfigurationError } from '../../core/errors.ts';
import { VERSION } from '../../core/version.ts';
import {
  type GateOptions,
  OWN_CERTIFICATES_IMAGE,
  OWN_GATE_IMAGE,
} from '../../generate/webhook/webhooks-options.ts';
import type { GivenTo } from '../command-table.ts';
import { type Declaring, declaringOf, declaringWords } from '../declarations/declaring.ts';
import type { ValueTypes } from '../value-types.ts';
import type { GENERATE, Output } from './table.ts';

/** The parsed command line of `chancery generate`. */
export interface GenerateArguments {
  readonly what: Output;
  readonly declaring: Declaring;
  readonly name: string | undefined;
  readonly namespace: string | undefined;
  /** The namespace of the operator in the filter and the roles: a name, or `POD_NAMESPACE`. */
  readonly ownNamespace: string;
  /** The watched namespaces, as in `Placement`. */
  readonly namespaces: readonly string[] | undefined;
  /** True when `namespaces` come from the command line or from the settings of a module. */
  readonly isWatchGiven: boolean;
  /**
   * True if there is a leader election. If undefined, there is one only when a controller needs a
   * leader.
   */
  readonly leaderElection: boolean | undefined;
  /** The name of the Lease. If undefined, the Lease has its default name. */
  readonly leaseName?: string;
  /** The number of groups that replicas share. If undefined, one replica does all work. */
  readonly shards: number | undefined;
  readonly installCrds: boolean;
  readonly format: 'args' | 'patch' | 'paths';
  readonly ambassadorImage: string;
  readonly operatorImage: string | undefined;
  /** The values of `--module-path`: one path for each module, or none. */
  readonly modulePaths: readonly string[];
  readonly stopSeconds: number;
  readonly gate: GateOptions;
  /** The file of `--ca-bundle`. Its certificates are added to `gate` later. */
  readonly caBundle: string | undefined;
  readonly components: string | undefined;
  readonly metricsPrefix: string | undefined;
  readonly resources: readonly string[];
  /** The command line that generates the files. Each file contains it in its first comment. */
  readonly command: string;
  /** The path of the output. If undefined, the text is written to standard output. */
  readonly output: string | undefined;
  readonly check: boolean;
  /**
   * Files with additional definitions for a package. The package also contains the definitions of
   * its modules.
   */
  readonly definitions: readonly string[];
  /** Options that only charts and bundles use. */
  readonly package: GenerateValues;
}

type GenerateValues = GivenTo<typeof GENERATE>['values'];

/** The kinds of output that contain a Deployment. */
const WHOLE: readonly Output[] = ['manifests', 'chart', 'bundle'];
const PACKAGES: readonly Output[] = ['chart', 'bundle'];

/** True when the output is a folder of files, and not one text. */
export function isTree(what: Output): what is 'manifests' | 'chart' | 'bundle' {
  return WHOLE.includes(what);
}

/**
 * Parses the command line of `chancery generate`.
 *
 * @throws ConfigurationError `CONFIG` in one line with the expected and the actual value.
 */
export function generateArguments(
  { values, words: modules, rest: moduleArgs }: GivenTo<typeof GENERATE>,
  what: Output,
): GenerateArguments {
  const isOfModules = values.hooks === undefined && values.fromMetacontroller.length === 0;
  // A package may contain definitions that are not in its modules. No rights follow from them.
  const definitions = isOfModules && PACKAGES.includes(what) ? values.crd : [];
  const crd = definitions.length > 0 ? [] : values.crd;
  const declaring = declaringOf({ ...values, crd }, modules, moduleArgs);
  const { output, check, modulePath: modulePaths, namespace } = values;
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
  const ownNamespace = (what === 'proxy' ? namespace : undefined) ?? POD_NAMESPACE;
  return {
    what,
    declaring,
    name: values.name,
    namespace,
    namespaces: watchedNamespaces(values.watch ?? watchedBy(declaring), ownNamespace),
    isWatchGiven: values.watch !== undefined,
    ownNamespace,
    leaderElection: electionOf(values),
    shards: shardsOf(values),
    installCrds: values.installCrds,
    format: values.format,
    ambassadorImage: values.ambassadorImage ?? OWN_AMBASSADOR_IMAGE,
    operatorImage: values.operatorImage,
    modulePaths,
    stopSeconds: values.stopSeconds,
    gate: gateOf(values),
    caBundle: values.caBundle,
    components: values.components,
    metricsPrefix: values.metricsPrefix,
    resources: values.resource,
    command: commandOf(values.command, what, declaringWords(declaring), moduleArgs),
    output,
    check,
    definitions,
    package: values,
  };
}

function gateOf(values: GenerateValues): GenerateArguments['gate'] {
  const { certificateSigner: signer, gateImage = OWN_GATE_IMAGE } = values;
  const { certificatesImage = OWN_CERTIFICATES_IMAGE, metricsClientCa } = values;
  return {
    certificates: values.certificates,
    image: withTag(gateImage),
    certificatesImage: withTag(certificatesImage),
    ...(signer !== undefined && { signer }),
    ...(metricsClientCa !== undefined && { metricsClientCa }),
  };
}

/**
 * An image with a tag. An image without a tag gets the version of the toolkit, because otherwise it
 * could change from day to day.
 */
export function withTag(image: string): string {
  return /@|:[^/]*$/.test(image) ? image : `${image}:${VERSION}`;
}

/**
 * The namespaces that are watched by default. Hooks and Metacontroller's controllers watch all
 * namespaces by default, as their contracts require.
 */
function watchedBy({ from }: Declaring): 'all' | undefined {
  return from === 'modules' ? undefined : 'all';
}

/**
 * The namespaces of `--watch`, as in `Placement`.
 *
 * @param own - the namespace of the operator.
 */
export function watchedNamespaces(
  watch: ValueTypes['namespaces'] | undefined,
  own: string,
): readonly string[] | undefined {
  if (watch === undefined || watch === 'own') return [own];
  return watch === 'all' ? undefined : watch;
}

/**
 * The value of the two options about leader election. Undefined when neither option is given.
 *
 * @throws ConfigurationError `CONFIG` when both options are given.
 */
export function electionOf({
  leaderElection,
  noLeaderElection,
}: Pick<GenerateValues, 'leaderElection' | 'noLeaderElection'>): boolean | undefined {
  if (leaderElection && noLeaderElection) {
    throw new ConfigurationError('expected --leader-election or --no-leader-election; got both');
  }
  if (noLeaderElection) return false;
  return leaderElection || undefined;
}

/**
 * The number of groups.
 *
 * @throws ConfigurationError `CONFIG` when the number is not a power of two, when there is no
 * election, and when the declarations do not come from modules.
 */
function shardsOf(values: GenerateValues): number | undefined {
  const { shards, noLeaderElection } = values;
  if (shards === undefined) return undefined;
  if (values.hooks !== undefined || values.fromMetacontroller.length > 0) {
    throw new ConfigurationError(
      "--shards does not divide the work of hooks and of Metacontroller's controllers: leave it out",
    );
  }
  if (!Number.isInteger(Math.log2(shards))) {
    throw new ConfigurationError(`--shards takes 1, 2, 4, 8, 16, 32 or 64; got ${shards}`);
  }
  if (noLeaderElection)
    throw new ConfigurationError('expected --shards or --no-leader-election; got both');
  return shards;
}

/** Matches a command line that fits between backticks in a comment: no line breaks, no backticks. */
const LINE = /^[\x20-\x5f\x61-\x7e]+$/;
/**
 * Matches text that must not be in a comment of a chart, because it would end the comment or be
 * read as a template. Comments of a chart are in templates and in Markdown.
 */
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

/** An argument, quoted for a shell if necessary. */
function shellWord(word: string): string {
  return /^[A-Za-z0-9_./:=,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
