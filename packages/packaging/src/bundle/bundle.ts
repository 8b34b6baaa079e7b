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
 * The operator as an OLM bundle in the format `registry+v1`, with the same containers, filter and
 * rules as the overlay `cluster-scoped`. With install modes other than AllNamespaces, the rules of
 * the overlay `namespaced` are used. The filter then allows all namespaces: OLM chooses the
 * namespaces, so only the Roles limit them.
 *
 * OLM creates the ServiceAccount and the roles, so the bundle does not contain them. Equal input
 * gives equal files.
 *
 * @throws ConfigurationError `CONFIG` when OLM would refuse an option, when the operator's
 * container would get a credential, when an image must have a digest and has none, and when the
 * bundle is too large.
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

/**
 * A CustomResourceDefinition without the fields that a cluster sets. OLM refuses such fields, or
 * would overwrite the values in the cluster.
 */
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

/** An object without its namespace. OLM creates it in the namespace of the operator. */
function withoutNamespace({ metadata, ...object }: KubernetesObject): object {
  const { namespace: _decidedByOlm, ...kept } = metadata;
  const { apiVersion, kind, ...rest } = object;
  return { apiVersion, kind, metadata: kept, ...rest };
}
