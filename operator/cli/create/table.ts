import type { CommandTable } from '../command-table.ts';

const OPTIONS = {
  kind: {
    type: 'text',
    value: 'KIND',
    help: 'one word in CamelCase, such as HttpRoute; of a hook what it watches, default Pod',
  },
  group: {
    type: 'text',
    value: 'GROUP',
    for: ['api'],
    help: 'a domain of yours, such as example.com',
  },
  version: {
    type: 'text',
    value: 'VERSION',
    for: ['api'],
    help: 'v1, v1beta1, v2alpha1 or the like',
  },
  plural: {
    type: 'text',
    value: 'PLURAL',
    for: ['api'],
    help: 'where it is an exception, such as indices; default from the kind',
  },
  owns: {
    type: 'text',
    value: 'A,B',
    for: ['api'],
    help: 'resources that it creates for each object, such as deployments.apps,services: configmaps, cronjobs.batch, daemonsets.apps, deployments.apps, jobs.batch, secrets, serviceaccounts, services, statefulsets.apps; default none',
  },
  namespaced: { for: ['api'], help: 'its objects are in namespaces: the default' },
  'cluster-scoped': {
    for: ['api'],
    help: 'its objects are in no namespace; then it can own nothing here',
  },
  module: {
    type: 'path',
    default: 'src/operator.ts',
    for: ['api'],
    help: 'the module that exports the controllers',
  },
  force: {
    for: ['api'],
    help: 'write the files that are missing, and keep the others as they are',
  },
  lang: {
    type: 'choice',
    choices: ['bash', 'node', 'python'],
    default: 'bash',
    for: ['hook'],
    help: 'the language of the script',
  },
  'api-version': {
    type: 'text',
    value: 'VERSION',
    for: ['hook'],
    help: 'of KIND, such as example.com/v1; default that of Kubernetes',
  },
  dir: {
    type: 'path',
    value: 'DIR',
    default: 'hooks',
    for: ['hook'],
    help: 'the folder of the script',
  },
} as const;

/** The command line of `chancery create`. */
export const CREATE: CommandTable<typeof OPTIONS, 'api' | 'hook'> = {
  name: 'create',
  summary: 'add a kind, its controller and its test to a project, or write a hook',
  usage: [
    'api --group GROUP --version VERSION --kind KIND [OPTION...]',
    'hook NAME [--lang bash|node|python] [--kind KIND] [--api-version VERSION] [--dir DIR]',
  ],
  kinds: {
    api: 'adds a kind to the project in this folder: a controller with its schema (src/KIND.ts), a test (src/KIND.test.ts) and a sample object (samples/KIND.yaml). The controller is imported by the module and added to the list that the module exports. Nothing else of the module changes.',
    hook: 'writes a hook that works into DIR: the script, the rights that its patches need, and a sample of its binding contexts, in contexts/. It needs no project.',
  },
  arguments: [{ name: 'NAME' }],
  options: OPTIONS,
  needsWords: true,
  description: `No file is overwritten. A kind that the project has already is refused, and nothing is written then.`,
  exitCodes: {
    0: 'written',
    1: 'the kind or one of its files exists, or the module cannot be changed safely',
    2: 'the command line is wrong',
  },
  examples: `  chancery create api --group example.com --version v1 --kind Cache --owns deployments.apps,services
  chancery create api --group example.com --version v1beta1 --kind Index --plural indices
  npm run generate
  chancery create hook watch-pods --lang python --kind Pod`,
};
