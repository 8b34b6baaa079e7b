import { ConfigurationError, type KubernetesObject } from 'chancery';
import {
  type CustomResourceDefinition,
  header,
  type ManifestFile,
  type OperatorModel,
  objectFileNames,
} from 'chancery/internal';
import { formatYaml } from 'chancery/low-level';
import { refusedKind } from '../bundle-check/rules/kinds.ts';
import type { PackageMetadata } from '../metadata.ts';
import { bundleImageFiles } from './bundle-image.ts';
import type { BundleOptions } from './bundle-options.ts';
import { withinLimit } from './bundle-size.ts';
import { clusterServiceVersion } from './cluster-service-version.ts';
import { requireUsable } from './usable-options.ts';
import { requireServable } from './webhooks.ts';

/**
 * The operator as an OLM bundle in the format `registry+v1`: the same containers, filter and rules as the overlay
 * `cluster-scoped`. With other install modes than AllNamespaces the rules are those of the overlay `namespaced`,
 * and the filter stays open for all namespaces: OLM decides which, so only the Roles can be the limit.
 *
 * OLM creates the ServiceAccount and the roles, so the bundle has none of them. Equal input gives equal text.
 *
 * @throws ConfigurationError `CONFIG` for an option that OLM would refuse, for what would bring a credential into the
 *   operator's container, for images without a digest when they must have one, and for a bundle that is too large.
 */
export function bundleFiles(
  model: OperatorModel,
  metadata: PackageMetadata,
  options: BundleOptions,
): readonly ManifestFile[] {
  requireUsable(model, metadata, options);
  requireServable(model, options);
  const comment = header(options.command);
  const file = (path: string, object: object): ManifestFile => ({
    path,
    text: comment + formatYaml(object),
  });
  const { name } = model.options;
  const { configMap } = model;
  const fixed = [
    file(
      `manifests/${name}.clusterserviceversion.yaml`,
      clusterServiceVersion(model, metadata, options),
    ),
    ...(configMap === undefined
      ? []
      : [
          file(
            `manifests/${configMap.metadata.name}_v1_configmap.yaml`,
            withoutNamespace(configMap),
          ),
        ]),
    ...objectFileNames(model.options.objects ?? []).map(([fileName, object]) =>
      file(`manifests/${fileName}.yaml`, withoutNamespace(installed(object))),
    ),
    ...bundleImageFiles(model, options),
  ];
  return withinLimit(fixed, model.definitions.map(installable), (definition) =>
    file(`manifests/${definition.metadata.name}.yaml`, definition),
  );
}

/** Without what belongs to a cluster: OLM refuses it, or would install it over what is there. */
function installable({
  metadata,
  spec,
  apiVersion,
  kind,
}: CustomResourceDefinition): CustomResourceDefinition {
  const { name, labels, annotations } = metadata;
  const kept = {
    name,
    ...(labels !== undefined && { labels }),
    ...(annotations !== undefined && { annotations }),
  };
  return { apiVersion, kind, metadata: kept, spec };
}

function installed(object: KubernetesObject): KubernetesObject {
  const why = refusedKind(object.kind);
  if (why === undefined) return object;
  throw new ConfigurationError(
    `--resource has a ${object.kind}: OLM installs none from a bundle: ${why}`,
  );
}

/** OLM creates it beside the operator, wherever that is. */
function withoutNamespace({ metadata, ...object }: KubernetesObject): object {
  const { namespace: _decidedByOlm, ...kept } = metadata;
  const { apiVersion, kind, ...rest } = object;
  return { apiVersion, kind, metadata: kept, ...rest };
}
