document.addEventListener("DOMContentLoaded", function () {
  document.querySelectorAll("li a").forEach(function (a) {
    if (a.href === location.href) { a.style.fontWeight = "bold"; }
  });
});
