import { header, type ManifestFile, type OperatorModel } from 'chancery/internal';
import { formatYaml } from 'chancery/low-level';
import type { BundleOptions } from './bundle-options.ts';

const PREFIX = 'operators.operatorframework.io';

/**
 * The image of the tests that `operator-sdk scorecard` runs in a cluster. The operator does not use
 * it.
 */
const SCORECARD_IMAGE = 'quay.io/operator-framework/scorecard-test:v1.42.0';

const SCORECARD_TESTS: readonly (readonly [suite: string, test: string])[] = [
  ['basic', 'basic-check-spec'],
  ['olm', 'olm-bundle-validation'],
  ['olm', 'olm-crds-have-validation'],
  ['olm', 'olm-crds-have-resources'],
  ['olm', 'olm-spec-descriptors'],
  ['olm', 'olm-status-descriptors'],
];

/** The files of a bundle image besides the manifests. */
export function bundleImageFiles(
  { options: { name } }: Pick<OperatorModel, 'options'>,
  options: BundleOptions,
): readonly ManifestFile[] {
  const comment = header(options.command);
  const annotations = bundleAnnotations(name, options);
  return [
    { path: 'metadata/annotations.yaml', text: comment + formatYaml({ annotations }) },
    { path: 'tests/scorecard/config.yaml', text: comment + formatYaml(scorecard()) },
    { path: 'bundle.Dockerfile', text: comment + dockerfile(annotations) },
  ];
}

/**
 * The annotations of a bundle. Registries read them from the image's labels, and other tools from
 * `metadata/annotations.yaml`.
 */
function bundleAnnotations(
  name: string,
  { channels, defaultChannel = channels[0] ?? '' }: BundleOptions,
): Readonly<Record<string, string>> {
  return {
    [`${PREFIX}.bundle.mediatype.v1`]: 'registry+v1',
    [`${PREFIX}.bundle.manifests.v1`]: 'manifests/',
    [`${PREFIX}.bundle.metadata.v1`]: 'metadata/',
    [`${PREFIX}.bundle.package.v1`]: name,
    [`${PREFIX}.bundle.channels.v1`]: channels.join(','),
    [`${PREFIX}.bundle.channel.default.v1`]: defaultChannel,
    [`${PREFIX}.test.mediatype.v1`]: 'scorecard+v1',
    [`${PREFIX}.test.config.v1`]: 'tests/scorecard/',
  };
}

function dockerfile(labels: Readonly<Record<string, string>>): string {
  return [
    'FROM scratch',
    ...Object.entries(labels).map(([key, value]) => `LABEL ${key}=${value}`),
    'COPY manifests /manifests/',
    'COPY metadata /metadata/',
    'COPY tests/scorecard /tests/scorecard/',
    '',
  ].join('\n');
}

function scorecard(): object {
  return {
    apiVersion: 'scorecard.operatorframework.io/v1alpha3',
    kind: 'Configuration',
    metadata: { name: 'config' },
    stages: [
      {
        parallel: true,
        tests: SCORECARD_TESTS.map(([suite, test]) => ({
          entrypoint: ['scorecard-test', test],
          image: SCORECARD_IMAGE,
          labels: { suite, test: `${test}-test` },
          storage: { spec: { mountPath: {} } },
        })),
      },
    ],
    storage: { spec: { mountPath: {} } },
  };
}
