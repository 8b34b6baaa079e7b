/** Changes of the good bundle that its validator lets pass. Each is near one that it refuses. */
import { type Change, object } from './change.ts';
import { definition } from './good-bundle.ts';

type Passing = Omit<Change, 'finds'> & Partial<Pick<Change, 'finds'>>;

export const PASSING: readonly Passing[] = [
  {
    what: 'a name of 63 characters, and one that it replaces',
    validator: 1,
    change: ({ csv }) => {
      csv.metadata.name = `${'a'.repeat(56)}.v1.2.3`;
      csv.spec.replaces = 'thing-operator.v1.2.2-rc.1';
    },
  },
  {
    what: 'a release that the name tells',
    validator: 1,
    change: ({ csv }) => {
      csv.spec.release = '2.a-b';
      csv.metadata.name = 'thing-operator-v1.2.3-2.a-b';
    },
    // By the convention of names without a release.
    finds: ['warning name-convention metadata.name'],
  },
  {
    what: 'several examples of one API',
    validator: 2,
    change: ({ csv }) => {
      const one = { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'a' } };
      csv.metadata.annotations['alm-examples'] = JSON.stringify([one, one]);
    },
  },
  {
    what: 'a conversion in all namespaces',
    validator: 3,
    change: ({ csv }) => {
      csv.spec.webhookdefinitions = [
        {
          type: 'ConversionWebhook',
          generateName: 'convert.example.com',
          deploymentName: 'thing-operator',
          conversionCRDs: ['things.example.com'],
        },
      ];
    },
  },
  {
    what: 'another version of an owned definition, which the ClusterServiceVersion does not list',
    validator: 4,
    change: ({ definition: crd }) => {
      const [version] = definition().spec.versions;
      crd.spec.versions.push({ ...version, name: 'v2', storage: false });
    },
  },
  {
    what: 'a ServiceAccount of nobody in the bundle',
    validator: 5,
    change: ({ files }) => {
      files['manifests/account.yaml'] = object('v1', 'ServiceAccount', 'readers');
    },
  },
  {
    what: 'an oldest Kubernetes with a suffix',
    validator: 6,
    change: ({ csv }) => {
      csv.spec.minKubeVersion = '1.31.2-alpha.1';
    },
  },
  {
    what: 'images by digest, and annotations in the letters of OLM',
    validator: 8,
    change: ({ csv }) => {
      csv.spec.relatedImages.push({
        name: 'x',
        image: `registry.example:5000/team/x@sha256:${'0'.repeat(64)}`,
      });
      csv.metadata.annotations['olm.skipRange'] = '<1.2.3';
    },
  },
  {
    what: 'the present version of an API that was removed',
    validator: 9,
    change: ({ csv, files }) => {
      files['manifests/pdb.yaml'] = object('policy/v1', 'PodDisruptionBudget', 'x');
      csv.spec.customresourcedefinitions.owned[0].resources = [
        { kind: 'HorizontalPodAutoscaler', version: 'autoscaling/v2' },
      ];
    },
    options: { k8sVersion: '1.36' },
  },
  {
    what: 'every capability level and category, and an icon of another type',
    validator: 10,
    change: ({ csv }) => {
      csv.metadata.annotations.capabilities = 'Auto Pilot';
      csv.metadata.annotations.categories = 'AI/Machine Learning , Streaming & Messaging';
      csv.spec.icon[0].mediatype = 'image/gif';
      csv.spec.links = [{ name: 'x', url: 'https://example.com/?a=b' }];
    },
  },
  {
    what: 'channels that begin with candidate, fast and stable, and rights to read definitions',
    validator: 11,
    change: ({ annotations, csv }) => {
      annotations['operators.operatorframework.io.bundle.channels.v1'] =
        'candidate-v1,fast,stable-2';
      annotations['operators.operatorframework.io.bundle.channel.default.v1'] = 'fast';
      const resources = ['customresourcedefinitions'];
      const rule = { apiGroups: ['apiextensions.k8s.io'], resources, verbs: ['get', 'list'] };
      csv.spec.install.spec.permissions[0].rules.push(rule);
    },
  },
  {
    what: 'labels for several machines',
    validator: 12,
    change: ({ csv }) => {
      csv.metadata.labels = {
        'operatorframework.io/arch.arm64': 'supported',
        'operatorframework.io/arch.s390x': 'supported',
        'operatorframework.io/os.linux': 'supported',
      };
    },
  },
  {
    what: 'a budget that lets Pods go, a class for some, and rights on a context of its own',
    validator: 13,
    change: ({ files }) => {
      files['manifests/a.yaml'] = {
        ...object('policy/v1', 'PodDisruptionBudget', 'x'),
        spec: { maxUnavailable: 1 },
      };
      files['manifests/b.yaml'] = {
        ...object('scheduling.k8s.io/v1', 'PriorityClass', 'x'),
        globalDefault: false,
      };
      files['manifests/c.yaml'] = {
        ...object('rbac.authorization.k8s.io/v1', 'Role', 'x'),
        rules: [
          {
            apiGroups: ['security.openshift.io'],
            resources: ['securitycontextconstraints'],
            resourceNames: ['thing-operator'],
            verbs: ['update'],
          },
        ],
      };
    },
  },
];
