"""Parse and render the recipe for conda, strictly: `python packaging/render_recipe.py`."""

from pathlib import Path

from rattler_build import Stage0Recipe, VariantConfig

recipe = Stage0Recipe.from_yaml((Path(__file__).parent / "recipe.yaml").read_text(encoding="utf-8"))
# what conda-forge names as the C library of Linux
for variant in recipe.render(VariantConfig({"c_stdlib": ["sysroot"], "c_stdlib_version": ["2.17"]})):
    package = variant.recipe.package
    print(f"{package.name} {package.version}: the recipe is well formed")
