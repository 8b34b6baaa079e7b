import { posix } from 'node:path';
import type { Controller } from '../../controller/controller.ts';
import { base } from './base.ts';
import { crdFolder } from './crd-files.ts';
import { fromTemplate, header, listLines, type ManifestFile, scalar } from './manifest-file.ts';
import { type ManifestsOptions, requireUsable } from './manifests-options.ts';
import { scopeComponent } from './scope-component.ts';

/**
 * Files of the components that fit every operator: they find the one Deployment by its kind, and copy
 * from it what names the operator. Their templates have no placeholders.
 */
export const GENERIC_FILES: readonly string[] = [
  'components/debug/kustomization.yaml',
  'components/high-availability/kustomization.yaml',
  'components/high-availability/pod-disruption-budget.yaml',
  'components/native-sidecar/kustomization.yaml',
  'components/native-sidecar/copy/kustomization.yaml',
  'components/network-policy/kustomization.yaml',
  'components/network-policy/network-policy.yaml',
  'components/prometheus/kustomization.yaml',
  'components/prometheus/pod-monitor.yaml',
  'components/unix-socket/kustomization.yaml',
];

const GENERIC_HEADER = '# Written by `chancery generate manifests`, the same for every operator.\n';

/**
 * A complete kustomize tree for an operator of these controllers: `base`, the components, `crds` when
 * resources bring definitions that the operator does not install itself, and `overlays`. Equal
 * declarations and options give equal files.
 *
 * The base alone may do nothing. A component, of which exactly one is used, gives the rights, opens the
 * filter and says what is watched; the other components fit every operator.
 *
 * @throws ConfigurationError `CONFIG` for an option that cannot stand in a manifest, and for what
 *   `rbac` and `proxyFilter` refuse.
 */
export function operatorManifests(
  controllers: readonly Controller[],
  options: ManifestsOptions,
): readonly ManifestFile[] {
  requireUsable(options);
  const crds = options.installCrds ? [] : crdFolder(controllers, options.command);
  return [
    ...base(options),
    ...scopeComponent('namespaced', controllers, options),
    ...scopeComponent('cluster-scoped', controllers, options),
    ...(options.components === undefined ? genericComponents() : []),
    ...crds,
    ...overlays(options, crds.length > 0),
  ];
}

function genericComponents(): readonly ManifestFile[] {
  return GENERIC_FILES.map((path) => fromTemplate(path, GENERIC_HEADER, {}));
}

/** What can be applied as it is, and what people's own overlays begin with: one for each scope. */
function overlays(options: ManifestsOptions, hasCrds: boolean): readonly ManifestFile[] {
  const { command, name, components = 'components', resources = [] } = options;
  const all = [...(hasCrds ? ['../../crds'] : []), ...resources.map(fromOverlay)];
  const values = {
    name,
    components: posix.join('../..', components),
    resources: listLines(all.map(scalar)),
  };
  return ['namespaced', 'cluster-scoped'].map((scope) =>
    fromTemplate(`overlays/${scope}/kustomization.yaml`, header(command), values),
  );
}

/** A path that is relative to the tree's folder, from within an overlay; a URL is itself. */
function fromOverlay(resource: string): string {
  return resource.includes('://') ? resource : posix.join('../..', resource);
}
