from django.urls import path

from review.pages import weights

app_name = "weights"
urlpatterns = [path("", weights.index, name="index")]
