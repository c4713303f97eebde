document.getElementById('count')?.addEventListener('click', ({ currentTarget }) => {
  currentTarget.textContent = '1';
});
