import type { Command } from '../command.ts';
import { table } from '../help.ts';

/** What `chancery init --help` and `create-chancery --help` print. */
const INIT_HELP: string = `Usage: chancery init NAME [OPTION...]

Writes a new project into the folder NAME: an operator with one controller, its test, a sample object, a
Dockerfile and a workflow for CI, twelve files at most. With --from or --from-crd it has a controller for
each kind, and the command names each kind that it leaves out, with the reason. Manifests are not among them: npm run generate
writes them into deploy/. NAME is also the name of the operator; "." is this folder.

No file is overwritten. A folder that has other files than .git is refused, and nothing is written then.

Options:
${table([
  ['--template custom-resource', 'the default: a resource of your own, and a Deployment for each'],
  ['--template built-in', 'a controller of Deployments, which need no definition'],
  ['--template composite', 'a resource of your own as a function that returns its children'],
  ['--group GROUP', 'of the resource, a domain of yours; default example.com'],
  ['--version VERSION', 'of the resource; default v1'],
  ['--kind KIND', 'of the resource, in CamelCase; default from NAME'],
  ['--plural PLURAL', 'of the resource; default from the kind'],
  [
    '--cluster-scoped',
    'objects of the resource are in no namespace; the controller owns nothing then',
  ],
  ['--from PROJECT', 'the kinds of a project of kubebuilder: its PROJECT file, or its folder'],
  ['--from-crd FILE', 'the kinds of CustomResourceDefinitions: file, folder or "-"; repeatable'],
  ['--force', 'write the files that are missing, and keep the others as they are'],
])}

Environment:
${table([
  [
    'CHANCERY_PACKAGES',
    'a folder with packed tarballs of chancery and @chancery/testing, to install',
  ],
  ['', 'these instead of the published packages'],
])}

Exit codes:
${table([
  ['0', 'written'],
  ['1', 'the folder is not empty, or a file cannot be written'],
  ['2', 'the command line is wrong, or PROJECT or the definitions cannot be read'],
])}

Examples:

  chancery init demo
  chancery init demo --from ../shop-go
  kubectl get crd shops.example.com -o yaml | chancery init demo --from-crd -
  chancery init demo --template composite --group example.com --kind Shop
  npm create chancery demo
`;

/** The entry in `chancery --help`. It is apart from the command, which is imported only when it runs. */
export const INIT_DESCRIPTION: Omit<Command, 'run'> = {
  name: 'init',
  summary: 'write a new project with an operator, its test and a sample',
  help: INIT_HELP,
};
