import { type Placement, POD_NAMESPACE } from '../../access/placement.ts';
import { ConfigurationError } from '../../core/errors.ts';
import type { CustomResourceDefinition } from '../../model/custom-resource-definition.ts';
import { isDnsLabel, isDnsSubdomain } from '../../model/dns-name.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { GateOptions } from '../webhook/webhooks-options.ts';
import type { MountedFolder } from './mounted-folder.ts';

/** A command of `chancery` that needs no modules. */
export interface OperatorProgram {
  /** The command and its arguments, such as `hooks /hooks`. */
  readonly words: readonly string[];
  /** The files of the program. Default: none. */
  readonly folder?: MountedFolder;
  /**
   * True when another operator may have the same definitions. Then no overlay contains them,
   * because deleting the overlay would delete all objects of both operators. Default false.
   */
  readonly sharesDefinitions?: boolean;
}

/** The settings of a tree of manifests that cannot be derived from declarations. */
export interface ManifestsOptions {
  /**
   * The name of every object: a DNS label of at most 52 characters, because the names of Pods add eleven
   * more.
   */
  readonly name: string;
  /**
   * The namespace of the operator, unless an overlay changes it: a DNS label that is not a date.
   */
  readonly namespace: string;
  /**
   * Modules that `chancery run` loads: paths in the operator's image. At least one, unless
   * `program` is given.
   */
  readonly modules: readonly string[];
  /**
   * The program that the operator's container runs in place of modules. Default: it runs modules.
   */
  readonly program?: OperatorProgram;
  /** Arguments of the modules after `--`. Default: none. */
  readonly moduleArgs?: readonly string[];
  /**
   * Images with a tag or a digest. An ambassador whose name ends with `chancery-proxy` is our own
   * image. Of other images, only `kubectl` is used.
   */
  readonly images: { readonly ambassador: string; readonly operator: string };
  /**
   * True when a Lease ensures that only one replica works at a time. A Deployment alone does not
   * ensure this: a Pod on a lost node may keep running while its replacement runs, too.
   */
  readonly leaderElection: boolean;
  /**
   * Number of groups of keys that replicas share: a power of two from 1 to 64. Default: one replica
   * does all work.
   */
  readonly shards?: number;
  /** The name of the Lease. Default: the name of the operator, followed by `-leader`. */
  readonly leaseName?: string;
  /**
   * The namespaces that the operator watches, if its arguments set them and not its overlay. Then
   * both scope components grant the same rights. Default: the overlay sets them.
   */
  readonly watched?: readonly string[] | 'all';
  /** True when the operator installs its definitions itself. Otherwise they are in `crds/`. */
  readonly installCrds: boolean;
  /** The time limit for the whole shutdown of the operator, in whole seconds from 1 to 3600. */
  readonly stopSeconds: number;
  /**
   * A folder that already contains the generic components, relative to the folder of the tree. If
   * it is given, they are not written again. They must be made for the same kind of ambassador
   * image, because the probe of `unix-socket` contains the path of kubectl.
   */
  readonly components?: string;
  /**
   * Additional resources for the overlays, mostly definitions. Paths are relative to the folder of
   * the tree.
   */
  readonly resources?: readonly string[];
  /**
   * Objects that are installed together with the operator. Overlays, charts and bundles contain
   * them. Default: none.
   */
  readonly objects?: readonly KubernetesObject[];
  /**
   * Additional definitions, which no declaration contains. In trees for kustomize, they are in
   * `resources` instead. Default: none.
   */
  readonly definitions?: readonly CustomResourceDefinition[];
  /**
   * The gate, if a webhook or a conversion is declared. Default: certificates of cert-manager, and
   * our own image of this version.
   */
  readonly gate?: GateOptions;
  /**
   * Prefix of the toolkit's own metrics in the scrape, the alerts and the dashboard. Default
   * `chancery_`.
   */
  readonly metricsPrefix?: string;
  /** The command that generates the tree. Each file contains it in a comment. */
  readonly command: string;
}

/**
 * The name of an operator's Lease. The default differs from the Leases of other operators in the
 * same namespace.
 */
export function leaseNameOf({
  name,
  leaseName = `${name}-leader`,
}: Pick<ManifestsOptions, 'name' | 'leaseName'>): string {
  return leaseName;
}

/** The options of a placement for leader election. */
export function electionOf(options: ManifestsOptions): Pick<Placement, 'leaderElection'> {
  if (!options.leaderElection) return {};
  const sharded = options.shards !== undefined;
  return { leaderElection: { namespace: POD_NAMESPACE, leaseName: leaseNameOf(options), sharded } };
}

/**
 * Matches a date. If the namespace in a kustomization is a date, kustomize turns it into a time,
 * even if it is quoted.
 */
const DATE = /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}$/;

/**
 * Matches an image with a tag or a digest. An image without either is `latest`, and changes
 * unnoticed.
 */
const IMAGE =
  /^([A-Za-z0-9.-]+(:[0-9]+)?\/)?[a-z0-9]+([._/-]+[a-z0-9]+)*(?=[:@])(:[A-Za-z0-9_][A-Za-z0-9._-]{0,127})?(@sha256:[a-f0-9]{64})?$/;

/** True when an image has a tag or a digest. */
export function isFixedImage(image: string): boolean {
  return IMAGE.test(image);
}

/** Matches a prefix that `CHANCERY_METRICS_PREFIX` accepts. */
const METRICS_PREFIX = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

/** Matches a path that is not a flag and has no `$`, which the kubelet would expand. */
const MODULE = /^[A-Za-z0-9._/@+][A-Za-z0-9._/@+-]*$/;

/** Matches a relative path, or the URL of a remote kustomization. */
const REFERENCE = /^[A-Za-z0-9._@+][A-Za-z0-9._/@+:?=&%~-]*$/;

/**
 * Checks the options.
 *
 * @throws ConfigurationError `CONFIG` when a parser could misread a value in a manifest, or when
 * Kubernetes would not accept it.
 */
export function requireUsable(options: ManifestsOptions): void {
  const { name, namespace, modules, images, stopSeconds, components, resources = [] } = options;
  const wantedName = 'at most 52 of a-z, 0-9 and "-", a letter or a digit at both ends';
  requireThat('name', name, wantedName, isDnsLabel(name, 52));
  const wantedLabel = 'a DNS label: at most 63 of a-z, 0-9 and "-", and no date';
  const isLabel = isDnsLabel(namespace) && !DATE.test(namespace);
  requireThat('namespace', namespace, wantedLabel, isLabel);
  const isSomething = modules.length > 0 || options.program !== undefined;
  requireThat('modules', `${modules.length}`, 'one module or more', isSomething);
  const folder = options.program?.folder?.fromBase ?? '..';
  requireThat(
    'folder',
    folder,
    'a path of letters, digits and . _ / @ + -',
    REFERENCE.test(folder),
  );
  for (const module of modules) {
    requireThat('module', module, 'a path of letters, digits and . _ / @ + -', MODULE.test(module));
  }
  for (const word of options.program?.words ?? []) {
    requireThat('argument', word, 'a string without NUL characters', !word.includes('\0'));
  }
  const { image: gate, certificatesImage = gate } = options.gate ?? {};
  for (const image of [...Object.values(images), gate, certificatesImage]) {
    if (image === undefined) continue;
    requireThat('image', image, 'an image with a tag or a sha256 digest', isFixedImage(image));
  }
  for (const word of options.moduleArgs ?? []) {
    requireThat('argument', word, 'a string without NUL characters', !word.includes('\0'));
  }
  const wantedLease = 'a DNS subdomain: at most 253 of a-z, 0-9, "-" and "."';
  requireThat('leaseName', leaseNameOf(options), wantedLease, isDnsSubdomain(leaseNameOf(options)));
  const isBudget = Number.isInteger(stopSeconds) && stopSeconds >= 1 && stopSeconds <= 3_600;
  requireThat('stopSeconds', `${stopSeconds}`, 'a whole number from 1 to 3600', isBudget);
  for (const path of [...(components === undefined ? [] : [components]), ...resources]) {
    requireThat('path', path, 'a relative path or a URL', REFERENCE.test(path));
  }
  const { metricsPrefix = '_' } = options;
  const wantedPrefix = 'letters, digits and _, and begin with no digit';
  requireThat('metricsPrefix', metricsPrefix, wantedPrefix, METRICS_PREFIX.test(metricsPrefix));
  const isLine = /^[\x20-\x5f\x61-\x7e]+$/.test(options.command);
  requireThat('command', options.command, 'one line of ASCII without backticks', isLine);
}

function requireThat(option: string, value: string, wanted: string, holds: boolean): void {
  if (holds) return;
  throw new ConfigurationError(`${option} must be ${wanted}`, { context: { [option]: value } });
}
