import { ConfigurationError } from 'chancery';
import { type KustomizeTree, listOf, type PlacedPatch } from './kustomize-tree.ts';
import type { Manager } from './manager.ts';
import { thirdContainer } from './pod-checks.ts';
import { weakPart } from './weak-part.ts';

/** Kinds that affect the rights of the manager's ServiceAccount. */
const RIGHTS = ['Role', 'ClusterRole', 'RoleBinding', 'ClusterRoleBinding', 'ServiceAccount'];

/**
 * Refuses patches of `config/default` that would weaken the ambassador. kustomize applies these
 * patches after the patches of the ambassador, and the roles were read without these patches.
 *
 * @throws ConfigurationError `CONFIG` for a patch that changes rights, adds a container, gives the
 * manager a credential, or would remove something that belongs to the ambassador.
 */
export function requireHarmlessPatches(tree: KustomizeTree, manager: Manager): void {
  for (const patch of tree.patches) {
    const { path, value } = patch;
    const kind = RIGHTS.find((each) => mayChange(patch, each));
    if (kind !== undefined && !isOfLabels(value)) throw changedRights(path, kind);
    if (!mayChange(patch, 'Deployment')) continue;
    if (Array.isArray(value)) requireHarmlessOperations(path, value);
    else requireHarmlessPart(path, value, manager);
  }
  for (const { path, value } of tree.kustomizations) {
    if (listOf(value.transformers).length > 0) {
      throw new ConfigurationError(
        `${path} has transformers, whose changes this plugin cannot check: use patches in their place`,
      );
    }
    for (const replacement of listOf(value.replacements)) {
      requireHarmlessReplacement(path, replacement);
    }
  }
}

/**
 * True when kustomize may apply a patch to an object of this kind. If the patch has a target, only
 * the target decides.
 */
function mayChange({ value, target }: PlacedPatch, kind: string): boolean {
  if (target == null) return Array.isArray(value) || Object(value).kind === kind;
  const { kind: pattern } = Object(target);
  if (typeof pattern !== 'string' || pattern === '') return true;
  try {
    return new RegExp(`^(?:${pattern})$`).test(kind);
  } catch {
    return true;
  }
}

/** True for a patch that changes only labels and annotations. */
function isOfLabels(value: unknown): boolean {
  if (Array.isArray(value)) {
    return value.every((operation) => {
      const { op, path } = Object(operation);
      return /^(?:add|replace|remove|test)$/.test(op) && LABELS.test(String(path));
    });
  }
  const { apiVersion: _version, kind: _kind, metadata, ...rest } = Object(value);
  const { name: _name, namespace: _namespace, labels, annotations, ...more } = Object(metadata);
  return (
    Object.keys({ ...rest, ...more }).length === 0 && !('$patch' in Object(labels ?? annotations))
  );
}

const LABELS = /^\/metadata\/(?:labels|annotations)(?:\/|$)/;

function changedRights(path: string, kind: string): ConfigurationError {
  return new ConfigurationError(
    `${path} may change a ${kind} after its file was read, and the filter would not follow from it: write the change ` +
      'into the file of the object, or name another kind as its target',
  );
}

/** Matches the path of the Pod, and the paths of the fields that contain the Pod. */
const AROUND = /^(?:\/spec(?:\/template(?:\/spec)?)?)?$/;

/** Lists that a JSON patch would replace after the ambassador was added to them. */
const LISTS =
  /^\/spec\/template\/spec\/(?:volumes|initContainers|containers(?:\/\d+(?:\/(?:env|volumeMounts))?)?)$/;

/**
 * Paths to init containers, and to list items by index. The indices have shifted, because the items
 * of the ambassador are first in these lists.
 */
const ITEMS =
  /^\/spec\/template\/spec\/(?:initContainers\/|(?:volumes|containers\/\d+\/(?:env|volumeMounts))\/\d+(?:\/|$))/;
const NEW_ITEM = /^\/spec\/template\/spec\/(?:volumes|containers\/\d+\/(?:env|volumeMounts))\/\d+$/;

function requireHarmlessOperations(path: string, operations: readonly unknown[]): void {
  for (const operation of operations) {
    const { op, path: at, from, value } = Object(operation);
    if (typeof at !== 'string' || op === 'test') continue;
    if (op === 'add' && /^\/spec\/template\/spec\/(?:initC|c)ontainers\/(?:-|\d+)$/.test(at)) {
      throw thirdContainer(path, String(Object(value).name));
    }
    const [taken] = [at, ...(typeof from === 'string' ? [from] : [])].filter(
      (each) =>
        AROUND.test(each) ||
        LISTS.test(each) ||
        (ITEMS.test(each) && !(op === 'add' && NEW_ITEM.test(each))),
    );
    if (taken !== undefined) {
      throw new ConfigurationError(
        `${path} has the operation ${op} of ${taken}, which would take away what the ambassador needs there: add single ` +
          'items to a list, with a path that ends with /-',
      );
    }
    // A copied field may contain anything.
    if (from !== undefined && at.startsWith('/spec/template/spec/')) throw moved(path, op, at);
    requireStrong(path, { [at.split('/').at(-1) ?? '']: value ?? true });
  }
}

function moved(path: string, op: unknown, at: string): ConfigurationError {
  return new ConfigurationError(
    `${path} has the operation ${op} to ${at}, and this plugin cannot check what that changes: write it as add or replace`,
  );
}

function requireStrong(path: string, part: unknown): void {
  const weak = weakPart(part);
  if (weak === undefined) return;
  throw new ConfigurationError(
    `${path} changes ${weak} of the Pod after the ambassador was added, which would lead around it or to its token: ` +
      'leave that out of the patch',
  );
}

function requireHarmlessPart(path: string, value: unknown, { pod, container }: Manager): void {
  const { $patch: directive, spec } = Object(value);
  if (directive === 'delete') return;
  const { strategy: _strategy, ...rest } = Object(spec);
  const part = rest.template?.spec;
  const { containers, initContainers, ...ofPod } = Object(part);
  const lost = [value, spec, rest.template, part, ...listOf(containers)].find((each) =>
    LOST.some((field) => Object(each)[field] === null),
  );
  if (directive !== undefined || lost !== undefined)
    requireStrong(path, { '$patch or null': true });
  requireStrong(path, { ...Object(rest.template), spec: ofPod });
  const added = [...listOf(containers), ...listOf(initContainers)].map((each) => Object(each));
  const ofManager = [container, ...(pod.initContainers ?? [])].map(({ name }) => name);
  const others = added.filter(
    ({ name, $patch }) =>
      !ofManager.includes(name) && ($patch !== 'delete' || listOf(initContainers).length > 0),
  );
  if (others.length > 0) throw thirdContainer(path, others.map(({ name }) => name).join(' and '));
  for (const each of added.filter(({ name }) => ofManager.includes(name))) {
    requireStrong(path, each);
  }
}

/**
 * Fields that contain what the plugin has added. A patch that sets one of them to null would remove
 * it.
 */
const LOST = ['spec', 'template', 'containers', 'initContainers', 'volumes', 'env', 'volumeMounts'];

function requireHarmlessReplacement(path: string, replacement: unknown): void {
  const { targets, path: file } = Object(replacement);
  if (file !== undefined) {
    throw new ConfigurationError(
      `${path} has replacements in the file ${file}, which are not read here: write them into ${path}`,
    );
  }
  for (const target of listOf(targets)) {
    const { select, fieldPaths } = Object(target);
    const paths = fieldPaths === undefined ? ['metadata.name'] : listOf(fieldPaths).map(String);
    const kind: unknown = Object(select).kind;
    const isAny = typeof kind !== 'string' || kind === '';
    const ofRights = RIGHTS.find((each) => isAny || each === kind);
    const isHarmless = paths.every((each) => /^metadata\.(?:labels|annotations)\b/.test(each));
    if (ofRights !== undefined && !isHarmless) throw changedRights(path, ofRights);
    if (kind !== 'Deployment') continue;
    const inPod = paths.find((each) => /^spec\.template\.spec\b/.test(each) && !FREE.test(each));
    if (inPod !== undefined) throw moved(path, 'replacement', inPod);
  }
}

/**
 * Fields that `replacements` of kustomize may change: the image, the arguments and the resources of
 * the manager.
 */
const FREE =
  /^spec\.template\.spec\.containers\.(?:\d+|\[name=[^\]]+\])\.(?:image|args|command|resources)\b/;
