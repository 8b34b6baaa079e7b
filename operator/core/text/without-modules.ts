/**
 * Joins the scripts of a page into one script. In the sources each script is a module, so that the compiler
 * and tests can use it. The page contains all of them in one module, because a page that makes no requests
 * cannot import modules. So a top-level name must occur in only one of the scripts.
 *
 * @param scripts - the scripts, ordered so that each script follows the scripts that it imports.
 */
export function withoutModules(scripts: readonly string[]): string {
  return scripts
    .map((script) =>
      script
        .replaceAll(/^import (?:[^;]*? from )?'\.[^']*';$/gm, '')
        .replaceAll(/^export (?=(?:async )?(?:function|class|const|let)\b)/gm, ''),
    )
    .join('\n');
}
