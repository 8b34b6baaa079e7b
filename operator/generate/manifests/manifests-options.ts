import { ConfigurationError } from '../../core/errors.ts';
import { isDnsLabel } from '../../model/dns-name.ts';
import { type Placement, POD_NAMESPACE } from '../placement.ts';

/** What a tree of manifests says that no declaration does. */
export interface ManifestsOptions {
  /** Of every object: a DNS label of at most 52 characters, to which the Pods' names add eleven. */
  readonly name: string;
  /** Where the operator runs, unless an overlay says otherwise: a DNS label, and no date. */
  readonly namespace: string;
  /** Modules that `chancery run` loads: paths in the operator's image, at least one. */
  readonly modules: readonly string[];
  /** Each with a tag or a digest. */
  readonly images: { readonly proxy: string; readonly operator: string };
  /**
   * One replica at a time works, by a Lease. A Deployment alone does not promise that only one Pod
   * runs: on a node that is lost, one may go on.
   */
  readonly leaderElection: boolean;
  /** The operator installs its definitions itself; otherwise `crds/` has them. */
  readonly installCrds: boolean;
  /** What the operator's whole stop may take, in whole seconds from 1 to 3600. */
  readonly stopSeconds: number;
  /**
   * A folder that has the generic components already, relative to the tree's; then they are not
   * written again.
   */
  readonly components?: string;
  /** More resources for the overlays, relative to the tree's folder: definitions, as a rule. */
  readonly resources?: readonly string[];
  /** The command that writes the tree, for people who find a file of it. */
  readonly command: string;
}

/** The Lease of an operator of this name: not that of another one in the same namespace. */
export function leaseName(name: string): string {
  return `${name}-leader`;
}

/** The election's part of a placement. */
export function electionOf({
  name,
  leaderElection,
}: ManifestsOptions): Pick<Placement, 'leaderElection'> {
  if (!leaderElection) return {};
  return { leaderElection: { namespace: POD_NAMESPACE, leaseName: leaseName(name) } };
}

/** Kustomize makes a time of it, where a kustomization names its namespace, quoted or not. */
const DATE = /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}$/;

/** With a tag or a digest: what has neither is `latest`, and changes unasked. */
const IMAGE =
  /^([A-Za-z0-9.-]+(:[0-9]+)?\/)?[a-z0-9]+([._/-]+[a-z0-9]+)*(?=[:@])(:[A-Za-z0-9_][A-Za-z0-9._-]{0,127})?(@sha256:[a-f0-9]{64})?$/;

/** No `$`, which the kubelet would expand, and no flag. */
const MODULE = /^[A-Za-z0-9._/@+][A-Za-z0-9._/@+-]*$/;

/** A relative path, or the URL of a remote kustomization. */
const REFERENCE = /^[A-Za-z0-9._@+][A-Za-z0-9._/@+:?=&%~-]*$/;

/**
 * @throws ConfigurationError `CONFIG` when a value could mean something else in a manifest than it
 *   says, or could be nothing that Kubernetes takes.
 */
export function requireUsable(options: ManifestsOptions): void {
  const { name, namespace, modules, images, stopSeconds, components, resources = [] } = options;
  const wantedName = 'at most 52 of a-z, 0-9 and "-", a letter or a digit at both ends';
  requireThat('name', name, wantedName, isDnsLabel(name, 52));
  const wantedLabel = 'a DNS label: at most 63 of a-z, 0-9 and "-", and no date';
  const isLabel = isDnsLabel(namespace) && !DATE.test(namespace);
  requireThat('namespace', namespace, wantedLabel, isLabel);
  requireThat('modules', `${modules.length}`, 'one module or more', modules.length > 0);
  for (const module of modules) {
    requireThat('module', module, 'a path of letters, digits and . _ / @ + -', MODULE.test(module));
  }
  for (const image of Object.values(images)) {
    requireThat('image', image, 'an image with a tag or a sha256 digest', IMAGE.test(image));
  }
  const isBudget = Number.isInteger(stopSeconds) && stopSeconds >= 1 && stopSeconds <= 3_600;
  requireThat('stopSeconds', `${stopSeconds}`, 'a whole number from 1 to 3600', isBudget);
  for (const path of [...(components === undefined ? [] : [components]), ...resources]) {
    requireThat('path', path, 'a relative path or a URL', REFERENCE.test(path));
  }
  const isLine = /^[\x20-\x5f\x61-\x7e]+$/.test(options.command);
  requireThat('command', options.command, 'one line of ASCII without backticks', isLine);
}

function requireThat(option: string, value: string, wanted: string, holds: boolean): void {
  if (holds) return;
  throw new ConfigurationError(`${option} must be ${wanted}`, { context: { [option]: value } });
}
