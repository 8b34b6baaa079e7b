/** What OLM ignores, and what only OLM v1 refuses. */
import { ANNOTATION, type Change, CONTAINERS, object } from './change.ts';
import type { BundleParts } from './good-bundle.ts';

export const OURS: readonly Change[] = [
  {
    what: 'a version that YAML reads as a number',
    validator: 'extra',
    change: ({ csv }) => {
      csv.spec.version = 1.1;
    },
    finds: ['error shape spec.version', 'error version spec.version'],
  },
  {
    what: 'two objects in a file',
    validator: 'extra',
    change: ({ files }) => {
      files['manifests/two.yaml'] =
        'kind: ConfigMap\napiVersion: v1\n---\nkind: ConfigMap\napiVersion: v1\n';
    },
    finds: ['error layout'],
  },
  {
    what: 'hidden files and folders in manifests/',
    validator: 'extra',
    change: ({ files }) => {
      files['manifests/.hidden'] = 'x';
      files['manifests/more/x.yaml'] = 'x';
    },
    finds: ['error layout', 'error layout'],
  },
  {
    what: 'no annotations',
    validator: 'extra',
    change: ({ files }) => {
      files['metadata/annotations.yaml'] = undefined;
      files['bundle.Dockerfile'] = undefined;
    },
    finds: ['error layout'],
  },
  {
    what: 'a Deployment, a policy and a Lease as objects',
    validator: 'extra',
    change: ({ files }) => {
      files['manifests/a.yaml'] = object('apps/v1', 'Deployment', 'x');
      files['manifests/b.yaml'] = object(
        'admissionregistration.k8s.io/v1',
        'ValidatingAdmissionPolicy',
        'x',
      );
      files['manifests/c.yaml'] = object('coordination.k8s.io/v1', 'Lease', 'x');
    },
    finds: ['error kind kind', 'error kind kind', 'error kind kind'],
  },
  {
    what: 'a certificate authority',
    validator: 'extra',
    change: ({ definition: crd }) => {
      crd.spec.conversion = {
        strategy: 'Webhook',
        webhook: { clientConfig: { caBundle: 'AAAA' }, conversionReviewVersions: ['v1'] },
      };
    },
    finds: ['error ca-bundle caBundle'],
  },
  {
    what: 'rights for nobody',
    validator: 'extra',
    change: ({ csv }) => {
      csv.spec.install.spec.clusterPermissions = [{ serviceAccountName: 'other', rules: [] }];
    },
    finds: ['warning granted-account spec.install.spec.clusterPermissions[0].serviceAccountName'],
  },
  {
    what: 'an image of a container that no mirror would copy',
    validator: 'extra',
    change: ({ csv }) => {
      csv.spec.relatedImages.pop();
    },
    finds: [`warning listed-images ${CONTAINERS}[proxy].image`],
  },
];

function webhook(fields: object): (parts: BundleParts) => void {
  return ({ csv }) => {
    csv.spec.webhookdefinitions = [
      {
        type: 'ValidatingAdmissionWebhook',
        generateName: 'check.example.com',
        deploymentName: 'thing-operator',
        rules: [{ apiGroups: ['example.com'], resources: ['things'] }],
        ...fields,
      },
    ];
  };
}

export const OLM_V1: readonly Change[] = [
  {
    what: 'one namespace only',
    validator: 'OLM v1',
    change: ({ csv }) => {
      csv.spec.installModes = [{ type: 'OwnNamespace', supported: true }];
    },
    finds: ['warning olm-v1 spec.installModes'],
  },
  {
    what: 'a dependency',
    validator: 'OLM v1',
    change: ({ files }) => {
      const value = { packageName: 'other', version: '>1.0.0' };
      files['metadata/dependencies.yaml'] = { dependencies: [{ type: 'olm.package', value }] };
    },
    finds: ['error olm-v1 dependencies[0]'],
  },
  {
    what: 'a constraint and a required definition',
    validator: 'OLM v1',
    change: ({ csv, files }) => {
      files['metadata/properties.yaml'] = { properties: [{ type: 'olm.constraint', value: {} }] };
      csv.spec.customresourcedefinitions.required = [
        { name: 'others.example.com', version: 'v1', kind: 'Other', description: 'x' },
      ];
    },
    finds: [
      'error olm-v1 spec.customresourcedefinitions.required[0]',
      'error olm-v1 properties[0]',
    ],
  },
  {
    what: 'an aggregated API server',
    validator: 'OLM v1',
    change: ({ csv }) => {
      csv.spec.apiservicedefinitions = {
        owned: [{ group: 'x.example.com', version: 'v1', kind: 'X' }],
      };
    },
    finds: [
      `warning examples ${ANNOTATION}.alm-examples`,
      'error olm-v1 spec.apiservicedefinitions.owned',
    ],
  },
  {
    what: 'a webhook on all groups',
    validator: 'OLM v1',
    change: webhook({ rules: [{ apiGroups: ['*'], resources: ['pods'] }] }),
    finds: ['error webhook spec.webhookdefinitions[0].rules[0]'],
  },
  {
    what: 'a webhook on webhooks',
    validator: 'OLM v1',
    change: webhook({
      rules: [
        {
          apiGroups: ['admissionregistration.k8s.io'],
          resources: ['ValidatingWebhookConfigurations', 'validatingadmissionpolicies'],
        },
      ],
    }),
    finds: ['error webhook spec.webhookdefinitions[0].rules[0]'],
  },
  {
    what: 'a webhook with a wrong name and no Deployment',
    validator: 'OLM v1',
    change: webhook({ generateName: 'Check', deploymentName: 'other' }),
    finds: [
      'error webhook spec.webhookdefinitions[0].generateName',
      'error webhook spec.webhookdefinitions[0].deploymentName',
    ],
  },
  {
    what: 'a conversion of a definition that is not owned',
    validator: 'OLM v1',
    change: webhook({ type: 'ConversionWebhook', conversionCRDs: ['others.example.com'] }),
    finds: ['error webhook spec.webhookdefinitions[0].conversionCRDs'],
  },
  {
    what: 'two Deployments of one name',
    validator: 'OLM v1',
    change: ({ csv }) => {
      const { deployments } = csv.spec.install.spec;
      deployments.push(structuredClone(deployments[0]));
    },
    finds: ['error deployment-name spec.install.spec.deployments[1].name'],
  },
];
