// GraphiQL keeps the theme under the same name: `light` or `dark`; nothing means that of the system.
const themeName = 'graphiql:theme';
const schemes = ['light', 'dark'];
let kept = '';
try {
  kept = schemes.find((scheme) => scheme === localStorage[themeName]) ?? '';
} catch {}
document.documentElement.style.colorScheme = kept;
addEventListener('DOMContentLoaded', () => {
  const field = document.getElementById('theme');
  field.value = kept;
  field.addEventListener('change', () => {
    document.documentElement.style.colorScheme = field.value;
    try {
      if (field.value === '') localStorage.removeItem(themeName);
      else localStorage[themeName] = field.value;
    } catch {}
  });
});
