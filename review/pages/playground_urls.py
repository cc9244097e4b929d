from django.urls import path

from review.pages import playground

app_name = "playground"
urlpatterns = [path("", playground.index, name="index")]
