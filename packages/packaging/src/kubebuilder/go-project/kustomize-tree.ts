import { posix } from 'node:path';
import { ConfigurationError, type KubernetesObject, messageOf } from 'chancery';
import { requireShapes } from 'chancery/internal';
import { parseYamlDocuments } from 'chancery/low-level';

type Files = ReadonlyMap<string, string>;

/** An object as written in its file. */
export interface PlacedObject {
  readonly object: KubernetesObject;
  readonly path: string;
  /** The namespace that kustomize renders. Undefined when no namespace is set. */
  readonly namespace: string | undefined;
  /** The name with the prefixes and suffixes of the kustomizations. */
  readonly finalName: string;
}

/** A parsed patch: some fields of an object, or the operations of a JSON patch. */
export interface PlacedPatch {
  readonly value: unknown;
  readonly path: string;
  /**
   * The field `target` beside the patch. Undefined if the patch itself contains the name of its
   * object.
   */
  readonly target: unknown;
}

/** A kustomization that is part of the build. */
export interface PlacedKustomization {
  readonly value: Kustomization;
  readonly path: string;
}

/** The inputs of `kustomize build config/default` on which the ambassador depends. */
export interface KustomizeTree {
  /** The path of the kustomization that is built. */
  readonly root: string;
  readonly objects: readonly PlacedObject[];
  readonly patches: readonly PlacedPatch[];
  readonly kustomizations: readonly PlacedKustomization[];
  /** True when a kustomization already lists the folder of this plugin. */
  readonly isListed: boolean;
  /**
   * Resources and patches that are not among the files, such as URLs, each as `FILE lists ENTRY`.
   */
  readonly unread: readonly string[];
  /** The folders of all kustomizations that are part of the build. */
  readonly folders: ReadonlySet<string>;
}

/** The folder that `make deploy` builds. */
const ROOT = 'config/default';

/** The folder of this plugin. */
export const OWN_FOLDER = 'config/ambassador';

const NAMES = ['kustomization.yaml', 'kustomization.yml'];

/** Kinds on which the ambassador depends. Files that contain none of these words are not parsed. */
const KINDS: ReadonlySet<unknown> = new Set([
  'Deployment',
  'ServiceAccount',
  'Role',
  'ClusterRole',
  'RoleBinding',
  'ClusterRoleBinding',
  'Secret',
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
]);
const WORDS =
  'Deployment|ServiceAccount|(?:Cluster)?Role(?:Binding)?|(?:Validating|Mutating)WebhookConfiguration';
/**
 * Matches files that contain one of these words. Also matches escapes with a backslash, because a
 * word may be written with escapes.
 */
const NEEDED = new RegExp(`\\b(?:${WORDS})(?:List)?\\b|service-account-token|\\\\[ux]`);

/**
 * True for a file that must be parsed. Files that contain only definitions are skipped, because
 * definitions are long and mention such kinds in their descriptions.
 */
function isNeeded(path: string, text: string): boolean {
  if (!NEEDED.test(text)) return false;
  if (!path.startsWith('config/crd/')) return true;
  const parts = text.split(/^---.*$/m).filter((part) => !/^(?:\s*(?:#.*)?\n?)*$/.test(part));
  return !parts.every((part) => /^kind: CustomResourceDefinition\s*$/m.test(part));
}

/**
 * Follows the kustomizations of a project from `config/default`. Files that are not part of the
 * build are not read, such as roles in a line that is commented out.
 *
 * @throws ConfigurationError `CONFIG` when a needed file is not YAML, or contains an object with
 * unexpected types.
 */
export function kustomizeTree(files: Files): KustomizeTree {
  const root = kustomizationIn(files, ROOT);
  if (root === undefined) {
    throw new ConfigurationError(
      `there is no ${ROOT}/kustomization.yaml: make deploy builds that folder, and the ambassador is added to it`,
    );
  }
  const walk = new Walk(files);
  walk.into(root, { namespace: undefined, prefix: '', suffix: '' });
  return { root, ...walk };
}

/**
 * Changes that the surrounding kustomizations make to an object's name and namespace. The outermost
 * namespace wins.
 */
interface Around {
  readonly namespace: string | undefined;
  readonly prefix: string;
  readonly suffix: string;
}

class Walk {
  readonly objects: PlacedObject[] = [];
  readonly patches: PlacedPatch[] = [];
  readonly kustomizations: PlacedKustomization[] = [];
  readonly unread: string[] = [];
  isListed = false;
  readonly folders: Set<string> = new Set();
  readonly #files: Files;

  constructor(files: Files) {
    this.#files = files;
  }

  into(path: string, outer: Around): void {
    const folder = posix.dirname(path);
    if (this.folders.has(folder)) return;
    this.folders.add(folder);
    const value = Object(documentsOf(this.#files, path)[0]) as Kustomization;
    this.kustomizations.push({ value, path });
    const { namePrefix, nameSuffix } = value;
    const around = {
      namespace: outer.namespace ?? (textOf(value.namespace) || undefined),
      prefix: outer.prefix + textOf(namePrefix),
      suffix: textOf(nameSuffix) + outer.suffix,
    };
    for (const entry of textsOf(value, ['resources', 'bases', 'components'])) {
      this.#add(posix.join(folder, entry).replace(/\/$/, ''), around, `${path} lists ${entry}`);
    }
    for (const each of [
      ...textsOf(value, ['patchesStrategicMerge']).map((text) => ({ text, target: undefined })),
      ...listOf(value.patches).map(patchOf),
      ...listOf(value.patchesJson6902).map(patchOf),
    ]) {
      this.#addPatch(each, folder, path);
    }
  }

  #add(path: string, around: Around, listed: string): void {
    if (path === OWN_FOLDER) {
      this.isListed = true;
      return;
    }
    const kustomization = kustomizationIn(this.#files, path);
    if (kustomization !== undefined) this.into(kustomization, around);
    const text = this.#files.get(path);
    if (text === undefined) {
      if (kustomization === undefined) this.unread.push(listed);
      return;
    }
    for (const document of isNeeded(path, text) ? documentsOf(this.#files, path) : []) {
      for (const object of itemsOf(document)) this.#addObject(object, path, around);
    }
  }

  #addObject(value: unknown, path: string, { namespace, prefix, suffix }: Around): void {
    if (!KINDS.has(Object(value).kind)) return;
    inFile(path, () => requireShapes([value as KubernetesObject]));
    const object = value as KubernetesObject;
    const { metadata } = object;
    this.objects.push({
      ...{ path, object },
      namespace: namespace ?? metadata.namespace,
      finalName: `${prefix}${metadata.name}${suffix}`,
    });
  }

  #addPatch({ text, target }: WrittenPatch, folder: string, path: string): void {
    if (text.includes('\n')) {
      const values = inFile(path, () => parseYamlDocuments(text));
      this.patches.push(...values.map((value) => ({ value, path, target })));
      return;
    }
    const file = posix.join(folder, text);
    if (!this.#files.has(file)) {
      this.unread.push(`${path} lists ${text}`);
      return;
    }
    const values = documentsOf(this.#files, file);
    this.patches.push(...values.map((value) => ({ value, path: file, target })));
  }
}

export type Kustomization = Readonly<
  Partial<
    Record<
      | 'namespace'
      | 'namePrefix'
      | 'nameSuffix'
      | 'resources'
      | 'bases'
      | 'components'
      | 'patches'
      | 'patchesStrategicMerge'
      | 'patchesJson6902'
      | 'replacements'
      | 'transformers',
      unknown
    >
  >
>;

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function textsOf(value: Kustomization, fields: readonly (keyof Kustomization)[]): string[] {
  return fields
    .flatMap((field) => listOf(value[field]))
    .filter((entry) => typeof entry === 'string');
}

interface WrittenPatch {
  /**
   * Either the path of a patch file, or the text of an inline patch. Only the text ends with a line
   * break.
   */
  readonly text: string;
  readonly target: unknown;
}

function patchOf(value: unknown): WrittenPatch {
  const { path, patch, target } = Object(value) as Readonly<Record<string, unknown>>;
  return { text: typeof patch === 'string' ? `${patch}\n` : textOf(path), target };
}

/**
 * The items of a list. kustomize treats every kind that ends with `List` and has items as a list.
 */
function itemsOf(document: unknown): readonly unknown[] {
  const { kind, items } = Object(document) as { readonly kind?: unknown; readonly items?: unknown };
  const isList = typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items);
  return isList ? items.flatMap(itemsOf) : [document];
}

export function kustomizationIn(files: Files, folder: string): string | undefined {
  return NAMES.map((name) => `${folder}/${name}`).find((path) => files.has(path));
}

function documentsOf(files: Files, path: string): readonly unknown[] {
  return inFile(path, () => parseYamlDocuments(files.get(path) ?? ''));
}

/** Runs `read`, and puts the path of the file before the message of its ConfigurationError. */
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
