import { ConfigurationError } from '../../core/errors.ts';
import { formatYaml } from '../../core/yaml.ts';
import { header } from './manifest-file.ts';

/** A folder whose files a ConfigMap provides in the Pod. */
export interface MountedFolder {
  /**
   * Name of the mount point: `hooks` is mounted at `/hooks`. The name consists of lower-case
   * letters.
   */
  readonly mount: string;
  /** The folder, relative to the folder `base` of the tree, with `/` as the separator. */
  readonly fromBase: string;
  /** The paths of all files, relative to the mounted folder, sorted, with `/` as the separator. */
  readonly files: readonly string[];
  /** Files that get no execute bit. Default: none. */
  readonly plain?: readonly string[];
  /**
   * The contents of the files, keyed by path. If omitted, a generator of kustomize reads the files.
   */
  readonly texts?: ReadonlyMap<string, string>;
}

/** The name of the ConfigMap with the files. kustomize adds a hash of the files to it. */
export function configMapOf({ mount }: Pick<MountedFolder, 'mount'>, operator: string): string {
  return `${operator}-${mount}`;
}

/**
 * The file `kustomization.yaml` in a mounted folder. It must be in that folder, because kustomize
 * reads no file outside of the folder of a kustomization.
 *
 * @throws ConfigurationError `CONFIG` when a path cannot be a key of a ConfigMap, and when two
 * paths have the same key.
 */
export function folderKustomization(
  folder: Pick<MountedFolder, 'files' | 'mount'>,
  { name, command }: { readonly name: string; readonly command: string },
): string {
  const { files } = folder;
  requireOwnKeys(files);
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    configMapGenerator: [
      {
        name: configMapOf(folder, name),
        files: files.map((path) => (keyOf(path) === path ? path : `${keyOf(path)}=${path}`)),
      },
    ],
  };
  return `${header(command)}${formatYaml(kustomization)}`;
}

/** The data of the ConfigMap. */
export function folderData(texts: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  requireOwnKeys([...texts.keys()]);
  return Object.fromEntries([...texts].map(([path, text]) => [keyOf(path), text]));
}

/**
 * The YAML of the volume's items. It is needed to mount files in sub-folders, and to remove the
 * execute bit from files. Empty when neither is needed.
 */
export function folderItems({ files, plain = [] }: Pick<MountedFolder, 'files' | 'plain'>): string {
  if (plain.length === 0 && !files.some((path) => path.includes('/'))) return '';
  const items = files.map((path) => ({
    ...{ key: keyOf(path), path },
    ...(plain.includes(path) && { mode: 0o644 }),
  }));
  return formatYaml({ items });
}

function requireOwnKeys(files: readonly string[]): void {
  const paths = new Map<string, string>();
  for (const path of files) {
    const other = paths.get(keyOf(path));
    if (other !== undefined) {
      throw new ConfigurationError(
        `${other} and ${path} would have the same key in the ConfigMap: rename one of them`,
      );
    }
    paths.set(keyOf(path), path);
  }
}

/** The key of a file in a ConfigMap. It contains no `/`. */
function keyOf(path: string): string {
  const key = path.replaceAll('/', '__');
  if (/^[A-Za-z0-9._-]{1,253}$/.test(key)) return key;
  throw new ConfigurationError(
    `the file ${JSON.stringify(path.slice(0, 64))} cannot be in a ConfigMap: its name may have letters, digits ` +
      'and . _ - only',
  );
}
