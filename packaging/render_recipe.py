"""Parse and render the recipe for conda, strictly: `python packaging/render_recipe.py`."""

from pathlib import Path

from rattler_build import Stage0Recipe

for variant in Stage0Recipe.from_yaml((Path(__file__).parent / "recipe.yaml").read_text(encoding="utf-8")).render():
    package = variant.recipe.package
    print(f"{package.name} {package.version}: the recipe is well formed")
