import type { Controller } from '../../controller/controller.ts';
import { definedResources } from '../../controller/defined-resources.ts';
import { formatYaml } from '../../core/yaml.ts';
import type { ManifestFile } from './manifest-file.ts';
import { header } from './yaml-text.ts';

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
  const kustomization = `${header(command)}#
# Definitions belong to the cluster: only its administrator may apply them, and to delete one deletes every
# object of its kind.
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
${files.map(({ path }) => `  - ${path}`).join('\n')}
`;
  return [
    { path: 'crds/kustomization.yaml', text: kustomization },
    ...files.map(({ path, text }) => ({ path: `crds/${path}`, text: header(command) + text })),
  ];
}
