import type { KubernetesObject } from 'chancery';
import {
  ambassadorSidecar,
  OWN_AMBASSADOR_IMAGE,
  podTemplateOf,
  VERSION,
  yamlWithItem,
} from 'chancery/internal';
import { ambassadorFolder } from './ambassador-folder.ts';
import { egressPolicy } from './egress.ts';
import { gateMessages, gateOf } from './gate.ts';
import { inFile, type KustomizeTree, kustomizeTree } from './kustomize-tree.ts';
import { type Manager, managerOf } from './manager.ts';
import { weakSettings } from './manager-patch.ts';
import { CREDENTIALS } from './own-names.ts';
import { requireHarmlessPatches } from './patch-checks.ts';
import { requireFreePort } from './pod-checks.ts';
import { managerFilter } from './rights.ts';

export interface HardenedOptions {
  readonly proxyPort: number;
  /** Image with a tag or a digest. Default: the image of this toolkit, of this version. */
  readonly ambassadorImage?: string;
}

export interface HardenedProject {
  /** All files of the result, including unchanged ones. */
  readonly files: ReadonlyMap<string, string>;
  /** Messages for the user in the terminal. */
  readonly messages: readonly string[];
}

/**
 * The files that add the ambassador beside the manager of a Go project. The only changes to the
 * project's own files are in lists of kustomizations: each list gets one more item.
 *
 * @param files - the files of the project. Equal projects give equal files.
 * @throws ConfigurationError `CONFIG` when the project does not have the layout of kubebuilder, or
 * when its roles cannot become a filter.
 */
export function hardened(
  files: ReadonlyMap<string, string>,
  { proxyPort, ambassadorImage = `${OWN_AMBASSADOR_IMAGE}:${VERSION}` }: HardenedOptions,
): HardenedProject {
  const tree = kustomizeTree(files);
  const manager = managerOf(tree);
  requireHarmlessPatches(tree, manager);
  const patches = tree.patches.map(({ value }) => value);
  requireFreePort(manager.path, manager.container, patches, proxyPort);
  const sidecar = ambassadorSidecar(managerFilter(tree, manager), {
    ...{ image: ambassadorImage, port: proxyPort, volume: CREDENTIALS },
  });
  const egress = egressPolicy(files, tree, manager);
  const { root } = tree;
  const text = files.get(root) ?? '';
  const built = tree.isListed
    ? text
    : inFile(root, () => yamlWithItem(text, 'components', '../ambassador', COMMENT));
  return {
    files: new Map([
      ...ambassadorFolder(manager, sidecar, proxyPort, gateOf(tree, manager)),
      ...egress.files,
      [root, built],
    ]),
    messages: [
      ...weakSettings(manager),
      ...egress.messages,
      ...gateMessages(tree, manager),
      ...otherUsers(tree, manager),
      ...unread(tree),
    ],
  };
}

/**
 * Messages about other Pods with the manager's ServiceAccount. The account no longer mounts a token
 * into Pods that do not request one.
 */
function otherUsers(
  { objects }: KustomizeTree,
  { account, deployment }: Manager,
): readonly string[] {
  return objects
    .filter(({ object }) => object !== deployment && accountOf(object) === account)
    .map(
      ({ object, path }) =>
        `${path}: Deployment/${object.metadata.name} has the ServiceAccount of the manager, which gives it no token from ` +
        'now on, and whose rights no filter would limit there: give it an account of its own',
    );
}

function accountOf(object: KubernetesObject): string | undefined {
  return podTemplateOf(object)?.spec?.serviceAccountName;
}

/** Messages about resources that were not read. They may contain a binding or a container. */
function unread({ unread: all }: KustomizeTree): readonly string[] {
  return all.map(
    (listed) =>
      `${listed}, which is no YAML file of the project: nothing of it is in the filter, so run chancery lint on what ` +
      'kustomize renders',
  );
}

const COMMENT = '# [AMBASSADOR] kubectl proxy beside the manager. See config/ambassador.';
