import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { ConfigurationError } from '../../core/errors.ts';
import { isMapping } from '../../core/mapping.ts';
import { visibleText } from '../../core/text/visible-text.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { isManifestName, manifestItems, readManifests } from '../files/manifest-files.ts';

/** The resources in the values of `--resource`. */
export interface GivenResources {
  /** Folders and URLs. kustomize reads them, not this process. */
  readonly references: readonly string[];
  /** The objects in files. They become a part of the output. */
  readonly objects: readonly KubernetesObject[];
}

/**
 * Reads the files of `--resource`. kustomize can read URLs, and folders with a kustomization, but
 * it refuses single files outside of its folder. A chart or a bundle cannot contain references, so
 * for them folders are read as well.
 *
 * @param output - the folder to which paths are relative. A file may also be relative to the
 * working directory.
 * @throws ConfigurationError `CONFIG` when a file does not exist or contains a document that is not
 * an object, and for a URL in a chart or a bundle.
 */
export async function givenResources(
  paths: readonly string[],
  what: 'manifests' | 'chart' | 'bundle',
  { output, stdin }: { readonly output: string; readonly stdin: Readable },
): Promise<GivenResources> {
  const references: string[] = [];
  const objects: (readonly KubernetesObject[])[] = [];
  for (const path of paths) {
    const found = path.includes('://') ? undefined : await foundAt([join(output, path), path]);
    const isRead = found !== undefined && (found.isFile || what !== 'manifests');
    if (isRead) objects.push(await objectsIn(found.path, stdin));
    else if (what !== 'manifests') {
      throw new ConfigurationError(
        `--resource ${path}: a ${what} contains files and folders of this machine, and this is none`,
      );
    } else if (found === undefined && !path.includes('://') && isManifestName(path)) {
      throw new ConfigurationError(`--resource ${path}: there is no such file in ${output}`);
    } else references.push(path);
  }
  return { references, objects: objects.flat() };
}

async function foundAt(
  paths: readonly string[],
): Promise<{ readonly path: string; readonly isFile: boolean } | undefined> {
  for (const path of paths) {
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined) return { path, isFile: found.isFile() };
  }
  return undefined;
}

async function objectsIn(path: string, stdin: Readable): Promise<readonly KubernetesObject[]> {
  const documents = (await readManifests([path], stdin, '--resource ')).flatMap(manifestItems);
  return documents.map(({ file, value }) => {
    const { apiVersion, kind, metadata } = isMapping(value) ? value : {};
    const name = isMapping(metadata) ? metadata.name : undefined;
    const isObject = [apiVersion, kind, name].every((text) => typeof text === 'string' && text);
    if (!isObject) {
      throw new ConfigurationError(
        `--resource ${file}: expected objects with apiVersion, kind and metadata.name; got ${visibleText(String(kind))}`,
      );
    }
    if (String(apiVersion).startsWith('kustomize.config.k8s.io/')) {
      throw new ConfigurationError(
        `--resource ${file} is a ${String(kind)} that is not rendered: give what kubectl kustomize prints`,
      );
    }
    return value as unknown as KubernetesObject;
  });
}
