import { posix } from 'node:path';
import type { ManifestFile } from './manifest-file.ts';
import type { ManifestsOptions } from './manifests-options.ts';
import type { Scope } from './scope-component.ts';
import { header, scalar } from './yaml-text.ts';

/** What can be applied as it is, and what people's own overlays begin with: one for each scope. */
export function overlays(options: ManifestsOptions, hasCrds: boolean): readonly ManifestFile[] {
  return (['namespaced', 'cluster-scoped'] as const).map((scope) => ({
    path: `overlays/${scope}/kustomization.yaml`,
    text: overlay(scope, options, hasCrds),
  }));
}

const MEANING: Readonly<Record<Scope, string>> = {
  namespaced: 'watches the namespace that it runs in',
  'cluster-scoped': 'watches every namespace',
};

function overlay(scope: Scope, options: ManifestsOptions, hasCrds: boolean): string {
  const { command, name, components = 'components', resources = [] } = options;
  const all = ['../../base', ...(hasCrds ? ['../../crds'] : []), ...resources.map(fromOverlay)];
  return `${header(command)}#
# ${name} ${MEANING[scope]}. An overlay of your own names its namespace and its images, and
# whichever components of ${posix.join('../..', components)} it wants; native-sidecar comes last.
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
${all.map((path) => `  - ${scalar(path)}`).join('\n')}
components:
  - ../../components/${scope}
`;
}

/** A path that is relative to the tree's folder, from within an overlay; a URL is itself. */
function fromOverlay(resource: string): string {
  return resource.includes('://') ? resource : posix.join('../..', resource);
}
