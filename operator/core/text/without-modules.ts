/**
 * Joins the scripts of a page into one script. In the sources they are modules, for the compiler and for
 * tests. In the page they follow each other in one module, because a page that makes no requests cannot
 * import. So every top-level name of a file must be unique among all files.
 *
 * @param scripts - ordered so that each script follows the scripts that it imports.
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
