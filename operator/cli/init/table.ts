import type { CommandTable } from '../command-table.ts';

const OPTIONS = {
  template: {
    type: 'choice',
    value: 'NAME',
    choices: ['custom-resource', 'built-in', 'composite'],
    help: 'custom-resource, the default: a resource of your own, and a Deployment for each; built-in: a controller of Deployments, which need no definition; composite: a resource of your own as a function that returns its children',
  },
  group: {
    type: 'text',
    value: 'GROUP',
    help: 'of the resource, a domain of yours; default example.com',
  },
  version: { type: 'text', value: 'VERSION', help: 'of the resource; default v1' },
  kind: { type: 'text', value: 'KIND', help: 'of the resource, in CamelCase; default from NAME' },
  plural: { type: 'text', value: 'PLURAL', help: 'of the resource; default from the kind' },
  'cluster-scoped': {
    help: 'objects of the resource are in no namespace; the controller owns nothing then',
  },
  from: {
    type: 'path',
    value: 'PROJECT',
    help: 'the kinds of a project of kubebuilder: its PROJECT file, or its folder',
  },
  'from-crd': {
    type: 'path',
    value: 'FILE',
    multiple: true,
    help: 'the kinds of CustomResourceDefinitions: file, folder or "-"',
  },
  force: { help: 'write the files that are missing, and keep the others as they are' },
} as const;

/** The command line of `chancery init` and `create-chancery`. */
export const INIT: CommandTable<typeof OPTIONS> = {
  name: 'init',
  summary: 'write a new project with an operator, its test and a sample',
  arguments: [{ name: 'NAME' }],
  options: OPTIONS,
  needsWords: true,
  description: `Writes a new project into the folder NAME: an operator with one controller, its test, a sample object, a
Dockerfile, a workflow for CI, AGENTS.md and a dev container, fifteen files at most. With --from or --from-crd it has a controller for
each kind, and the command names each kind that it leaves out, with the reason. Manifests are not among them: npm run
generate writes them into deploy/. NAME is also the name of the operator; "." is this folder.

No file is overwritten. A folder that has other files than .git is refused, and nothing is written then.`,
  environment: [
    [
      'CHANCERY_PACKAGES',
      'a folder with packed tarballs of chancery and @chancery/testing, to install these instead of the published packages',
    ],
  ],
  exitCodes: {
    0: 'written',
    1: 'the folder is not empty, or a file cannot be written',
    2: 'the command line is wrong, or PROJECT or the definitions cannot be read',
  },
  examples: `  chancery init demo
  chancery init demo --from ../shop-go
  kubectl get crd shops.example.com -o yaml | chancery init demo --from-crd -
  chancery init demo --template composite --group example.com --kind Shop
  npm create chancery demo`,
};
