/** Bundles of operators, and what their files say. */
import { parseYaml } from '../../../../../operator/core/yaml.ts';
import type { ManifestFile } from '../../../../../operator/generate/manifests/manifest-file.ts';
import {
  type OperatorModel,
  operatorModel,
} from '../../../../../operator/generate/manifests/operator-model.ts';
import type { CustomResourceDefinition } from '../../../../../operator/model/custom-resource-definition.ts';
import { options, SITE } from '../../../../../test/manifests/support/trees.ts';
import { bundleFiles } from '../../../src/bundle/bundle.ts';
import type { BundleOptions } from '../../../src/bundle/bundle-options.ts';
import type { InstallStrategy } from '../../../src/bundle/install-strategy.ts';
import type { PackageMetadata } from '../../../src/metadata.ts';

export const METADATA: PackageMetadata = {
  version: '1.2.3',
  description: 'Publishes sites.',
  maintainers: [{ name: 'A Team', email: 'team@example.com' }],
  provider: { name: 'Example' },
};

export const OPTIONS: BundleOptions = { command: 'make bundle', channels: ['fast', 'stable'] };

/** An operator `demo` that does as the example `website`. */
export function demo(
  changed: Parameters<typeof options>[0] = {},
  declared: Parameters<typeof operatorModel>[0] = [SITE],
): OperatorModel {
  return operatorModel(declared, options({ name: 'demo', namespace: 'demo-system', ...changed }));
}

export interface Csv {
  readonly metadata: {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  };
  readonly spec: {
    readonly description: string;
    readonly install: InstallStrategy;
    readonly installModes: readonly { readonly type: string; readonly supported: boolean }[];
    readonly customresourcedefinitions: { readonly owned: readonly OwnedDefinition[] };
    readonly relatedImages: readonly { readonly name: string; readonly image: string }[];
    readonly webhookdefinitions?: readonly object[];
    readonly [field: string]: unknown;
  };
}

interface OwnedDefinition {
  readonly name: string;
  readonly version: string;
  readonly specDescriptors?: readonly Descriptor[];
  readonly statusDescriptors?: readonly Descriptor[];
  readonly [field: string]: unknown;
}

interface Descriptor {
  readonly path: string;
  readonly displayName: string;
  readonly description: string;
  readonly 'x-descriptors'?: readonly string[];
}

/** The files of a bundle by their paths. */
export function bundle(
  model: OperatorModel = demo(),
  changed: Partial<BundleOptions> = {},
  metadata: PackageMetadata = METADATA,
): ReadonlyMap<string, string> {
  const files = bundleFiles(model, metadata, { ...OPTIONS, ...changed });
  return new Map(files.map(({ path, text }: ManifestFile) => [path, text]));
}

/** The ClusterServiceVersion of a bundle. */
export function csvOf(files: ReadonlyMap<string, string>): Csv {
  const path = [...files.keys()].find((each) => each.endsWith('.clusterserviceversion.yaml'));
  return parseYaml(files.get(path ?? '') ?? '') as Csv;
}

/** A definition of `Thing` with one version of this schema. */
export function thing(openAPIV3Schema: object): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.things.example' },
    spec: {
      group: 'things.example',
      scope: 'Namespaced',
      names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', ...openAPIV3Schema } },
          subresources: { status: {} },
        },
      ],
    },
  } as CustomResourceDefinition;
}
