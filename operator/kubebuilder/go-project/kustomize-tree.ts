import { posix } from 'node:path';
import { ConfigurationError, messageOf } from '../../core/errors.ts';
import { parseYamlDocuments } from '../../core/yaml.ts';
import { requireShapes } from '../../generate/lint/shape.ts';
import type { KubernetesObject } from '../../model/object.ts';

type Files = ReadonlyMap<string, string>;

/** An object as its file has it. */
export interface PlacedObject {
  readonly object: KubernetesObject;
  readonly path: string;
  /** After kustomize has set namespaces; undefined when nothing names one. */
  readonly namespace: string | undefined;
}

/** A patch, parsed: a part of an object, or the operations of a JSON patch. */
export interface PlacedPatch {
  readonly value: unknown;
  readonly path: string;
}

/** What `kustomize build config/default` reads, as far as the ambassador depends on it. */
export interface KustomizeTree {
  /** The path of the kustomization that is built. */
  readonly root: string;
  readonly objects: readonly PlacedObject[];
  readonly patches: readonly PlacedPatch[];
  /** Of all kustomizations that take part. */
  readonly folders: ReadonlySet<string>;
}

/** The folder that `make deploy` builds. */
const ROOT = 'config/default';

/** The folder of this plugin. */
export const OWN_FOLDER = 'config/ambassador';

const NAMES = ['kustomization.yaml', 'kustomization.yml'];

/** Kinds that the ambassador depends on. Files without such a word are not even parsed. */
const KINDS: ReadonlySet<unknown> = new Set([
  'Deployment',
  'ServiceAccount',
  'Role',
  'ClusterRole',
  'RoleBinding',
  'ClusterRoleBinding',
]);
const NEEDED = /\b(?:Deployment|ServiceAccount|(?:Cluster)?Role(?:Binding)?)\b/;

/**
 * Follows the kustomizations of a project from `config/default`. Files that do not take part, such as the roles
 * that a kustomization has commented out, are not read.
 *
 * @throws ConfigurationError `CONFIG` for a needed file that is no YAML, or has an object of another form.
 */
export function kustomizeTree(files: Files): KustomizeTree {
  const root = kustomizationIn(files, ROOT);
  if (root === undefined) {
    throw new ConfigurationError(
      `there is no ${ROOT}/kustomization.yaml: make deploy builds that folder, and the ambassador is added to it`,
    );
  }
  const walk = new Walk(files);
  walk.into(root, undefined);
  return { root, ...walk };
}

class Walk {
  readonly objects: PlacedObject[] = [];
  readonly patches: PlacedPatch[] = [];
  readonly folders: Set<string> = new Set();
  readonly #files: Files;

  constructor(files: Files) {
    this.#files = files;
  }

  /** @param outer - the namespace that a kustomization around it sets, which wins. */
  into(path: string, outer: string | undefined): void {
    const folder = posix.dirname(path);
    if (folder === OWN_FOLDER || this.folders.has(folder)) return;
    this.folders.add(folder);
    const kustomization = Object(documentsOf(this.#files, path)[0]) as Kustomization;
    const own = kustomization.namespace;
    const namespace = outer ?? (typeof own === 'string' && own !== '' ? own : undefined);
    for (const entry of this.#texts(kustomization, ['resources', 'bases', 'components'])) {
      this.#add(posix.join(folder, entry), namespace);
    }
    for (const patch of [
      ...this.#texts(kustomization, ['patchesStrategicMerge']),
      ...listOf(kustomization.patches).map(patchOf),
      ...listOf(kustomization.patchesJson6902).map(patchOf),
    ]) {
      this.#addPatch(patch, folder, path);
    }
  }

  #texts(kustomization: Kustomization, fields: readonly (keyof Kustomization)[]): string[] {
    return fields
      .flatMap((field) => listOf(kustomization[field]))
      .filter((entry) => typeof entry === 'string');
  }

  /** What is not in the project, such as a URL, is left to kustomize. */
  #add(path: string, namespace: string | undefined): void {
    const kustomization = kustomizationIn(this.#files, path);
    if (kustomization !== undefined) this.into(kustomization, namespace);
    const text = this.#files.get(path);
    if (text === undefined || !NEEDED.test(text)) return;
    const isNeeded = !path.startsWith('config/crd/');
    for (const document of isNeeded ? documentsOf(this.#files, path) : []) {
      for (const object of itemsOf(document)) {
        if (!KINDS.has(Object(object).kind)) continue;
        inFile(path, () => requireShapes([object as KubernetesObject]));
        const known = object as KubernetesObject;
        this.objects.push({
          path,
          object: known,
          namespace: namespace ?? known.metadata.namespace,
        });
      }
    }
  }

  #addPatch(patch: string, folder: string, path: string): void {
    if (patch.includes('\n')) {
      const values = inFile(path, () => parseYamlDocuments(patch));
      this.patches.push(...values.map((value) => ({ value, path })));
      return;
    }
    const file = posix.join(folder, patch);
    if (!this.#files.has(file)) return;
    const values = documentsOf(this.#files, file);
    this.patches.push(...values.map((value) => ({ value, path: file })));
  }
}

type Kustomization = Readonly<
  Partial<
    Record<
      | 'namespace'
      | 'resources'
      | 'bases'
      | 'components'
      | 'patches'
      | 'patchesStrategicMerge'
      | 'patchesJson6902',
      unknown
    >
  >
>;

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A path, or the text of a patch with a line break. */
function patchOf(value: unknown): string {
  const { path, patch } = Object(value) as { readonly path?: unknown; readonly patch?: unknown };
  if (typeof patch === 'string') return `${patch}\n`;
  return typeof path === 'string' ? path : '';
}

function itemsOf(document: unknown): readonly unknown[] {
  const { kind, items } = Object(document) as { readonly kind?: unknown; readonly items?: unknown };
  return kind === 'List' && Array.isArray(items) ? items : [document];
}

export function kustomizationIn(files: Files, folder: string): string | undefined {
  return NAMES.map((name) => `${folder}/${name}`).find((path) => files.has(path));
}

function documentsOf(files: Files, path: string): readonly unknown[] {
  return inFile(path, () => parseYamlDocuments(files.get(path) ?? ''));
}

/** Runs something that fails because of a file, and names the file then. */
export function inFile<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new ConfigurationError(`${path}: ${messageOf(error)}`, {
      cause: error,
      context: error.context,
    });
  }
}
