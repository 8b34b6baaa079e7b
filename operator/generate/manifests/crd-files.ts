import type { Controller } from '../../controller/controller.ts';
import { definedResources } from '../../controller/defined-resources.ts';
import { formatYaml } from '../../core/yaml.ts';
import { fromTemplate, header, listLines, type ManifestFile } from './manifest-file.ts';

/**
 * The definitions that the resources of `controllers` bring along, one file each, named after the
 * definition; none when no resource brings one.
 *
 * @throws ConfigurationError `CONFIG` when two controllers declare one resource differently.
 */
export function crdDocuments(controllers: readonly Controller[]): readonly ManifestFile[] {
  return definedResources(controllers).map(({ definition }) => ({
    path: `${definition.metadata.name}.yaml`,
    text: formatYaml(definition),
  }));
}

/** The same as the folder `crds/` of a tree; no file when there is no definition. */
export function crdFolder(
  controllers: readonly Controller[],
  command: string,
): readonly ManifestFile[] {
  const files = crdDocuments(controllers);
  if (files.length === 0) return [];
  const definitions = listLines(files.map(({ path }) => path));
  return [
    fromTemplate('crds/kustomization.yaml', header(command), { definitions }),
    ...files.map(({ path, text }) => ({ path: `crds/${path}`, text: header(command) + text })),
  ];
}
